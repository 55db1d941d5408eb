// Writes the list of functions that are to be small rather than fast, for LLVM's -forceattrs-csv-path.
//
//   node scripts/cold-functions.mjs snapseek.ll cold.csv
//
// Rust has one optimisation level a crate: as a whole, a small build took 1.3 to 4 times as long a query. So the module
// is compiled to be fast, but for the functions listed here. A function is known by its mangled name (v0), where every
// module that it belongs to or is generic over stands as its length and name.
import { readFileSync, writeFileSync } from "node:fs";

/** Modules whose loops run for every document or every letter. */
const HOT = ["bitmap", "bits", "bm25", "column", "fold", "index", "lz4", "order", "retrieval", "table", "tokenizer", "vector", "wire"];
/** Modules that run a few times a query or a write, and what is compiled for each of their types. */
const COLD = [
  ...["analysis", "attributes", "builder", "chunking", "document", "embed", "engine", "issues", "json", "options"],
  ...["presentation", "primitives", "query", "ranking", "recipe", "schema", "segment", "snapshot", "state", "wasm"],
  ...["js_sys", "serde", "serde_core", "serde_json", "serde_wasm_bindgen", "wasm_bindgen"],
  ...["Error", "btree", "drop_in_place", "fmt", "sort", "string"],
];

/** Whether a mangled name has one of the names in it. */
const mentions = (names) => new RegExp(names.map((name) => `${name.length}${name}`).join("|"));

const [, , listing, out] = process.argv;
const [hot, cold] = [mentions(HOT), mentions(COLD)];
const functions = [...readFileSync(listing, "utf8").matchAll(/^define [^@]*@"?([\w.$]+)"?\(/gm)].map((match) => match[1]);
const listed = functions.filter((name) => cold.test(name) && !hot.test(name));
if (listed.length === 0) throw new Error(`${listing} has no function of ours among ${functions.length}`);
writeFileSync(out, listed.map((name) => `${name},minsize\n${name},optsize\n`).join(""));
