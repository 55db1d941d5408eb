// node --test benches/node

import assert from "node:assert/strict";
import test from "node:test";
import { checkExact, checkFound, overlap } from "./check.mjs";
import { percentile } from "./measure.mjs";

const query = { match: '"fox"', kind: "term" };
const oracle = [
  [
    ["a", -2],
    ["b", -1],
  ],
];

test("the oracle's own answers are accepted", () => {
  checkExact("engine", [query], oracle, oracle);
});

test("another order is refused", () => {
  assert.throws(
    () =>
      checkExact(
        "engine",
        [query],
        [
          [
            ["b", -2],
            ["a", -1],
          ],
        ],
        oracle,
      ),
    /disagrees/,
  );
});

test("another score is refused", () => {
  assert.throws(
    () =>
      checkExact(
        "engine",
        [query],
        [
          [
            ["a", -2],
            ["b", -1.00001],
          ],
        ],
        oracle,
      ),
    /disagrees/,
  );
});

test("a missing hit is refused", () => {
  assert.throws(() => checkExact("engine", [query], [[["a", -2]]], oracle), /disagrees/);
});

test("an engine that finds nothing where FTS5 does is refused, except for a prefix", () => {
  assert.throws(() => checkFound("engine", [query], [[]], oracle), /finds nothing/);
  checkFound("engine", [{ match: '"fo"*', kind: "prefix" }], [[]], oracle);
});

test("overlap is the mean share of the oracle's hits", () => {
  assert.equal(
    overlap(
      [
        [
          ["b", null],
          ["c", null],
        ],
      ],
      oracle,
    ),
    0.5,
  );
});

test("percentiles are nearest rank", () => {
  const values = Array.from({ length: 200 }, (_, i) => i + 1);
  assert.deepEqual(
    [50, 95, 99].map((percent) => percentile(values, percent)),
    [100, 190, 198],
  );
  assert.equal(percentile([7], 99), 7);
});
