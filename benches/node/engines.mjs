// The engines of the benchmark, in the order of the table's columns.

import { fileURLToPath } from "node:url";

const profile = process.argv.includes("--quick") ? "quick" : "release";
const native = (name) => [fileURLToPath(new URL(`../target/${profile}/snapseek-benches`, import.meta.url)), "serve", name];
const npm = (name) => [process.execPath, "--expose-gc", fileURLToPath(new URL("serve.mjs", import.meta.url)), name];

/** The oracle: the engine whose answers are right by definition. */
export const ORACLE = "fts5";

/**
 * `exact`: the engine must return the oracle's ids and scores; the others have their own ranking.
 * `threads`: the thread counts for building; the table shows the first.
 */
export const ENGINES = [
  { name: "snapseek", title: "snapseek native", command: native("snapseek"), exact: true, threads: [1, 2] },
  { name: "snapseek-wasm", title: "snapseek wasm", command: npm("snapseek"), exact: true, threads: [1] },
  { name: "fts5", title: "FTS5 native", command: native("fts5"), exact: true, threads: [1] },
  { name: "sqlite-wasm", title: "sqlite-wasm FTS5", command: npm("sqlite-wasm"), exact: true, threads: [1] },
  { name: "tantivy", title: "tantivy native", command: native("tantivy"), exact: false, threads: [1, 2] },
  { name: "flexsearch", title: "flexsearch words", command: npm("flexsearch"), exact: false, threads: [1] },
  {
    name: "flexsearch-forward",
    title: "flexsearch prefixes",
    command: npm("flexsearch-forward"),
    exact: false,
    threads: [1],
  },
];
