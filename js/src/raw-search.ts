// As raw.ts, for the module that can only search.
import { Engine, Receiver, initSync } from "./glue-search.js";

export const raw = { Engine, Receiver, initSync };
