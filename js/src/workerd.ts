// The entry for Cloudflare's workers. They do not compile bytes, but import a `.wasm` file as a compiled module.
import { chunks } from "./chunking.js";
import { fetching } from "./fetching.js";
import { connect, type Build, type ChunkText, type Open } from "./index.js";
import { raw } from "./raw.js";
import wasm from "./snapseek.wasm";

const here = /* @__PURE__ */ connect(raw, {
  wasm: [async () => wasm],
  ...fetching,
});

export const open: Open = here.open;
export const build: Build = here.build;
export const chunkText: ChunkText = (...text) => chunks(here, ...text);
export * from "./full.js";
