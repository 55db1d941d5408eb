// As raw.ts, of the glue of the module that can only search.
export { Engine, Receiver, initSync } from "./glue-search.js";
