// As web.ts, with the module that can only search; where that does not run or cannot be had, the full one does its work.
import { fetching } from "./fetching.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";
import { hasSimd } from "./simd.js";

const here = /* @__PURE__ */ connectToSearch(raw, {
  // Bundlers look for these very expressions.
  wasm: [
    async () =>
      fetch(hasSimd() ? new URL("./snapseek-search.wasm", import.meta.url) : new URL("./snapseek.plain.wasm", import.meta.url)),
    async () => (await import("./snapseek-inline.js")).bytes(),
  ],
  ...fetching,
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
