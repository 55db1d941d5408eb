// What the package needs of wasm-bindgen's glue, and no more: bundlers leave out the rest.
import { Build, Engine, Receiver, initSync } from "./glue.js";

export const raw = { Build, Engine, Receiver, initSync };
