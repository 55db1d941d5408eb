// The entry without files: the module comes as a script, and a string is a URL.
import { chunks } from "./chunking.js";
import { fetching } from "./fetching.js";
import { connect, type Build, type ChunkText, type Open } from "./index.js";
import { raw } from "./raw.js";

const here = /* @__PURE__ */ connect(raw, {
  wasm: [async () => (await import("./snapseek-inline.js")).bytes()],
  ...fetching,
});

export const open: Open = here.open;
export const build: Build = here.build;
export const chunkText: ChunkText = (...text) => chunks(here, ...text);
export * from "./full.js";
