// As node.ts, with the module that can only search; where that does not run or cannot be had, the full one does its work.
import { readFile } from "node:fs/promises";
import { asPath, isRemote, parts, pieces } from "./file.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";
import { hasSimd } from "./simd.js";

const here = /* @__PURE__ */ connectToSearch(raw, {
  wasm: [
    async () =>
      readFile(hasSimd() ? new URL("./snapseek-search.wasm", import.meta.url) : new URL("./snapseek.plain.wasm", import.meta.url)),
    async () => (await import("./snapseek-inline.js")).bytes(),
  ],
  wasmAt: async (location) => (isRemote(location) ? fetch(location) : readFile(asPath(location))),
  read: (location, signal) => (isRemote(location) ? fetch(location, { signal: signal ?? null }) : pieces(location)),
  file: (location) => (isRemote(location) ? undefined : parts(location)),
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
