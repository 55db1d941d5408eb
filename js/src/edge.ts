// In edge runtimes such as Vercel's: as in workerd.ts, and an import of a module has to be asked for by name.
import { chunks } from "./chunking.js";
import { fetching } from "./fetching.js";
import { connect, type Build, type ChunkText, type Open } from "./index.js";
import { raw } from "./raw.js";
import wasm from "./snapseek.wasm?module";

const here = /* @__PURE__ */ connect(raw, {
  // It may come from another realm, where it is an instance of another class.
  wasm: [async () => Object.setPrototypeOf(wasm, WebAssembly.Module.prototype) as WebAssembly.Module],
  ...fetching,
});

export const open: Open = here.open;
export const build: Build = here.build;
export const chunkText: ChunkText = (...text) => chunks(here, ...text);
export * from "./full.js";
