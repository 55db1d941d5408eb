// Runs tests/cases: the rows must be those of SQLite, and the ranks must have the same bits as in the native build.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { build } from "./opening.mjs";

const TESTS = new URL("../../tests/", import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, TESTS), "utf8"));
const ranks = read("golden/ranks.json");

function bits(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

for (const file of readdirSync(new URL("cases/", TESTS))) {
  const { about, schema, records, queries } = read(`cases/${file}`);
  describe(`${file}: ${about}`, async () => {
    const engine = await build(records, schema);
    for (const [number, { match, rows, error, ...options }] of queries.entries()) {
      it(match, () => {
        if (error !== undefined) {
          assert.throws(() => engine.match(match, options), { message: error });
          return;
        }
        const found = engine.match(match, options);
        const texts = ({ id, snippet, highlight }) => ({ id, snippet, highlight });
        assert.deepEqual(found.map(texts), rows.map(texts));
        assert.deepEqual(found.map(({ rank }) => bits(rank)), ranks[file.replace(".json", "")][number]);
      });
    }
  });
}
