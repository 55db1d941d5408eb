// The entry for edge runtimes such as Vercel's. They compile no bytes either, and import a module with `?module`.
import { chunks } from "./chunking.js";
import { fetching } from "./fetching.js";
import { connect, type Build, type ChunkText, type Open } from "./index.js";
import { raw } from "./raw.js";
import wasm from "./snapseek.wasm?module";

const here = /* @__PURE__ */ connect(raw, {
  // The module may come from another realm, whose `WebAssembly.Module` is another class.
  wasm: [async () => Object.setPrototypeOf(wasm, WebAssembly.Module.prototype) as WebAssembly.Module],
  ...fetching,
});

export const open: Open = here.open;
export const build: Build = here.build;
export const chunkText: ChunkText = (...text) => chunks(here, ...text);
export * from "./full.js";
