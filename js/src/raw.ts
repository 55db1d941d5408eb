// What the package needs of wasm-bindgen's glue, and no more: bundlers leave out the rest.
export { Build, Engine, Receiver, chunkText, initSync } from "./glue.js";
