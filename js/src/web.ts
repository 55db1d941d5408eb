// The entry for browsers. The module is the file beside this one, and a string is a URL. If the module cannot be fetched
// (bundlers, servers, file:// pages), it comes from the inline script.
import { chunks } from "./chunking.js";
import { fetching } from "./fetching.js";
import { connect, type Build, type ChunkText, type Open } from "./index.js";
import { raw } from "./raw.js";
import { hasSimd } from "./simd.js";

const here = /* @__PURE__ */ connect(raw, {
  // Bundlers recognise exactly this form of expression.
  wasm: [
    async () =>
      fetch(hasSimd() ? new URL("./snapseek.wasm", import.meta.url) : new URL("./snapseek.plain.wasm", import.meta.url)),
    async () => (await import("./snapseek-inline.js")).bytes(),
  ],
  ...fetching,
});

export const open: Open = here.open;
export const build: Build = here.build;
export const chunkText: ChunkText = (...text) => chunks(here, ...text);
export * from "./full.js";
