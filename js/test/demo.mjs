// The records and the schema of the demo, for the tests.

import { readFile } from "node:fs/promises";

const CORPUS = new URL("../../www/corpus/", import.meta.url);

export const lines = () => readFile(new URL("sample.jsonl", CORPUS), "utf8");

/** Reads the subset of TOML that the schema uses: tables, and values that are JSON except for inline tables. */
export async function schema() {
  const read = {};
  let table = read;
  for (const line of (await readFile(new URL("schema.toml", CORPUS), "utf8")).split("\n")) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value] = /^(\w+) = ("[^"]*"|[^#]*)/.exec(line) ?? [];
    if (name) table = read[name] = {};
    if (key) table[key] = JSON.parse(value.replace(/(\w+) = /g, '"$1": '));
  }
  return read;
}
