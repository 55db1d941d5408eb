// In Node: the module stands beside this file, and a string is a path, unless it is an http URL.
import { readFile } from "node:fs/promises";
import { connect, type Package } from "./index.js";
import { hasSimd } from "./simd.js";

const environment = /* @__PURE__ */ connect({
  wasm: () =>
    readFile(
      hasSimd() ? new URL("./snapseek.wasm", import.meta.url) : new URL("./snapseek.plain.wasm", import.meta.url),
    ),
  read: (location) => (/^https?:/.test(String(location)) ? fetch(location) : readFile(location)),
});

/** Opens a snapshot: a path, a URL, a `Response` or a promise of one, bytes, a `Blob` or a `ReadableStream`. */
export const open: Package["open"] = environment.open;

/**
 * Builds an engine from records: objects, or a text with one JSON object a line. Without a schema it is inferred: strings
 * are text, arrays of strings keywords, numbers and booleans attributes, ISO dates times. The name of a preset stands for
 * its schema.
 */
export const build: Package["build"] = environment.build;

/**
 * Cuts a text into chunks of at most `size` characters (code points), each sharing `overlap` with the one before. A chunk
 * ends at the best break of its last quarter: a heading, a blank line, a line end, the end of a sentence, a space.
 *
 * The size is 1 to 6000 and defaults to 1200, the overlap 0 to 1000, less than the size, and defaults to 200.
 */
export const chunkText: Package["chunkText"] = environment.chunkText;

export type { Engine } from "./engine.js";
export { SnapseekError, type ErrorCode } from "./errors.js";
export type { OpenOptions, Source } from "./index.js";
export * from "./primitives.js";
export type * from "./types.js";
