// Like raw.ts, for the search-only module.
import { Engine, Receiver, initSync } from "./glue-search.js";

export const raw = { Engine, Receiver, initSync };
