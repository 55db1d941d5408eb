// The entry for Node. The module is the file beside this one, and a string is a path unless it is an HTTP URL. Where a bundler
// left no such file, the module comes from the inline script.
import { readFile } from "node:fs/promises";
import { chunks } from "./chunking.js";
import { files } from "./file.js";
import { connect, type Build, type ChunkText, type Open } from "./index.js";
import { raw } from "./raw.js";
import { hasSimd } from "./simd.js";

const here = /* @__PURE__ */ connect(raw, {
  wasm: [
    async () =>
      readFile(hasSimd() ? new URL("./snapseek.wasm", import.meta.url) : new URL("./snapseek.plain.wasm", import.meta.url)),
    async () => (await import("./snapseek-inline.js")).bytes(),
  ],
  ...files,
});

export const open: Open = here.open;
export const build: Build = here.build;
export const chunkText: ChunkText = (...text) => chunks(here, ...text);
export * from "./full.js";
