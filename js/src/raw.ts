// Names the parts of wasm-bindgen's glue that the package uses, so that bundlers leave out the rest.
import { Build, Engine, Receiver, initSync } from "./glue.js";

export const raw = { Build, Engine, Receiver, initSync };
