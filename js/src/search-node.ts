// Like node.ts, with the search-only module. Without SIMD or without the file, the full module does the work.
import { readFile } from "node:fs/promises";
import { files } from "./file.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";
import { hasSimd } from "./simd.js";

const here = /* @__PURE__ */ connectToSearch(raw, {
  wasm: [
    async () =>
      readFile(hasSimd() ? new URL("./snapseek-search.wasm", import.meta.url) : new URL("./snapseek.plain.wasm", import.meta.url)),
    async () => (await import("./snapseek-inline.js")).bytes(),
  ],
  ...files,
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
