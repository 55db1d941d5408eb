// The primitives, by the cases and hashes that tests/primitives.rs reads too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import * as snapseek from "../../pkg/node.js";

const {
  bm25Normalize,
  buildFts5Query,
  chunkText,
  computeScore,
  cosineSimilarity,
  DEFAULT_WEIGHTS,
  estimateTokens,
  formatZodError,
  normaliseRrfScores,
  recencyBoost,
  reciprocalRankFusion,
  weightedRankFusion,
} = snapseek;

const cases = JSON.parse(readFileSync(new URL("../../tests/primitives.json", import.meta.url), "utf8"));
const DAY = 86_400_000;

/** Bits are compared, so that −0 is not 0. */
function same(found, expected, what) {
  assert.ok(Object.is(found, expected), `${JSON.stringify(what)}: ${found}`);
}

function* xorshift(state) {
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

function hash(count, result) {
  const number = new DataView(new ArrayBuffer(8));
  let hash = 2_166_136_261;
  for (let i = 0; i < count; i++) {
    number.setFloat64(0, result(i), true);
    for (const at of [0, 4]) hash = Math.imul(hash ^ number.getUint32(at, true), 16_777_619);
  }
  return hash >>> 0;
}

it("P1: tokens are estimated as written", () => {
  for (const { text, is } of cases.estimateTokens) same(estimateTokens(text), is, text);
});

it("P2: queries are built as written", () => {
  for (const { query, is } of cases.buildFts5Query) assert.equal(buildFts5Query(query), is);
});

it("P2: what is built always parses", async () => {
  const engine = await snapseek.build([{ id: "a", text: "quick fox" }]);
  const random = xorshift(2);
  const next = (end) => random.next().value % end;
  const letters = ['"', "(", ")", "*", "-", "^", "+", ":", "{", "}", "\0", " ", "\ufeff", "fo", "x", "é", "漢字", "🦊", "\ud800", "AND", "NEAR"];
  for (let round = 0; round < 5_000; round++) {
    const query = Array.from({ length: next(12) }, () => letters[next(letters.length)]).join("");
    assert.doesNotThrow(() => engine.match(buildFts5Query(query)), JSON.stringify(query));
  }
  engine.free();
});

it("P3: lists are fused as written, best first", () => {
  for (const { vector, fts, k, is } of cases.reciprocalRankFusion) {
    assert.deepEqual([...reciprocalRankFusion(vector, fts, k)], is);
    const objects = (ids) => ids.map((id) => ({ id, similarity: 0.5 }));
    assert.deepEqual([...reciprocalRankFusion(objects(vector), objects(fts), k)], is);
  }
});

it("P3: which list comes first changes no bit", () => {
  for (const { vector, fts, k } of cases.reciprocalRankFusion) {
    assert.deepEqual([...reciprocalRankFusion(vector, fts, k)], [...reciprocalRankFusion(fts, vector, k)]);
  }
});

it("U5, INV-001, INV-006, INV-007: lists are fused by weighted ranks as written", () => {
  for (const { lists, k, weights, bonuses, is } of cases.weightedRankFusion) {
    const results = lists.map((list) => list.map(([id, kind]) => ({ id, kind, title: "not looked at" })));
    const fused = weightedRankFusion(results, { k, weights, bonuses });
    assert.deepEqual(fused.map(({ id, kind, score }) => [id, kind, score]), is);
    fused.forEach(({ score, parts }) => {
      assert.equal(parts.length, lists.length);
      same(parts.reduce((sum, part) => sum + part, 0), score, parts);
    });
  }
});

it("U5: many weighted fusions have the bits that Rust finds", () => {
  const random = xorshift(5555);
  const below = (end) => random.next().value % end;
  const several = (most, make) => Array.from({ length: below(most) }, make);
  const scores = Array.from({ length: 500 }, () => {
    const lists = several(5, () => several(20, () => ({ id: String(below(30)), kind: ["observation", "session"][below(2)] })));
    const k = below(100);
    const weights = several(4, () => random.next().value / 2 ** 31);
    const bonuses = several(4, () => random.next().value / 2 ** 36);
    return weightedRankFusion(lists, { k, weights, bonuses }).map(({ score }) => score);
  }).flat();
  same(hash(scores.length, (i) => scores[i]), cases.hashes.weightedRankFusion);
});

it("U5: a bare id is of kind document, and a number that is not finite is an error", () => {
  const [first, second] = weightedRankFusion([["a"], [{ id: "a" }, { id: "a", kind: "note" }]]);
  assert.deepEqual([first.id, first.kind, second.kind], ["a", "document", "note"]);
  for (const options of [{ k: NaN }, { k: -1 }, { weights: [1, Infinity] }, { bonuses: ["1"] }]) {
    assert.throws(() => weightedRankFusion([["a"]], options), RangeError);
  }
});

it("P4: scores are normalised as written, in a new map", () => {
  for (const { scores, is } of cases.normaliseRrfScores) {
    const given = new Map(scores);
    assert.deepEqual([...normaliseRrfScores(given)], is);
    assert.deepEqual([...given], scores);
  }
});

it("P5: boosts are as written", () => {
  for (const { createdAt, now, floor, is } of cases.recencyBoost) same(recencyBoost(createdAt, now, floor), is, createdAt);
});

it("P5: ages in days give the specified boosts", () => {
  const boosts = [0, 1, 7, 30, 365].map((days) => recencyBoost(0, days * DAY).toFixed(4));
  assert.deepEqual(boosts, ["1.0000", "0.5906", "0.3247", "0.2255", "0.1449"]);
});

it("P5: many boosts have the bits that Rust finds", () => {
  const random = xorshift(5);
  same(hash(100_000, (i) => recencyBoost(0, random.next().value * 2 ** (i % 12))), cases.hashes.recencyBoost);
});

it("P5: a moment may be a date or its ISO string, in UTC where it names no zone", () => {
  const [day, next] = [Date.UTC(2026, 0, 1, 12), Date.UTC(2026, 0, 2, 12)];
  for (const moment of [new Date(day), "2026-01-01T12:00:00.000Z", "2026-01-01T12:00", "2026-01-01T13:00+01:00"]) {
    same(recencyBoost(moment, next), recencyBoost(day, next), moment);
  }
  assert.throws(() => recencyBoost("soon", next), { name: "RangeError", message: "createdAt: soon is no date" });
  assert.throws(() => recencyBoost(day, new Date(NaN)), RangeError);
});

it("P6: issues are formatted as written", () => {
  for (const { issues, is } of cases.formatZodError) assert.equal(formatZodError({ issues }), is);
});

it("P7: scores are brought below one as written", () => {
  for (const { x, is } of cases.bm25Normalize) {
    const found = bm25Normalize(Number(x));
    same(found, is, x);
    assert.ok(found >= 0 && found < 1);
  }
});

it("P7: many scores have the bits that Rust finds", () => {
  const random = xorshift(7);
  const found = hash(100_000, (i) => bm25Normalize((random.next().value - 2 ** 31) / 2 ** (i % 31)));
  same(found, cases.hashes.bm25Normalize);
});

it("P8: cosines are as written, and never NaN", () => {
  for (const { a, b, is } of cases.cosineSimilarity) same(cosineSimilarity(a, b), is, [a, b]);
  for (const odd of [NaN, Infinity, 1e300]) same(cosineSimilarity([odd, 1], [1, 1]), 0, odd);
});

it("P8: many cosines have the bits that Rust finds", () => {
  const random = xorshift(8);
  const vector = (length) => Float32Array.from({ length }, () => random.next().value / 2 ** 32 - 0.5);
  same(hash(5_000, (i) => cosineSimilarity(vector(1 + (i % 48)), vector(1 + (i % 48)))), cases.hashes.cosineSimilarity);
});

it("M4: scores of memories are as written", () => {
  for (const { memory, semanticSim, ftsRank, weights, now, is } of cases.computeScore) {
    same(computeScore(memory, semanticSim, ftsRank, weights, now), is, memory);
  }
});

it("M4: many scores of memories have the bits that Rust finds", () => {
  const sectors = ["reflective", "semantic", "procedural", "emotional", "episodic", "other"];
  const random = xorshift(4);
  const next = () => random.next().value;
  const scores = (i) => {
    const [similarity, rank, salience, now] = [next() / 2 ** 32, next() / -(2 ** 28), next() / 2 ** 32, next() * 2 ** (i % 12)];
    const memory = { salience, createdAt: 0, sector: sectors[i % 6], ...(i % 3 === 0 && { validUntil: 2 ** 40 }) };
    return computeScore(memory, similarity, rank, undefined, now);
  };
  same(hash(100_000, scores), cases.hashes.computeScore);
});

it("M4: the default weights are those of the specification and cannot be changed", () => {
  assert.deepEqual(DEFAULT_WEIGHTS, {
    semantic: 0.4,
    keyword: 0.25,
    salience: 0.2,
    recency: 0.15,
    sectorBoost: { reflective: 1.2, semantic: 1.1, procedural: 1, emotional: 0.9, episodic: 0.8 },
  });
  assert.ok(Object.isFrozen(DEFAULT_WEIGHTS) && Object.isFrozen(DEFAULT_WEIGHTS.sectorBoost));
});

it("M4: a moment may be a date, and now is the default", () => {
  const memory = { salience: 0, createdAt: new Date(), validUntil: "2026-01-01T12:00" };
  same(computeScore(memory, 0, 0, { recency: 1 }, memory.createdAt), 0.5);
  const score = computeScore({ ...memory, validUntil: null }, 0, 0, { recency: 1 });
  assert.ok(score > 0.999 && score <= 1, `${score}`);
  assert.throws(() => computeScore({ createdAt: "soon" }, 0, 0), { name: "RangeError", message: "createdAt: soon is no date" });
});

it("R-chunks: chunks have exact offsets, and tokens as P1 counts them", async () => {
  const body = "Foxes 🦊 are quick. Their tails are not. ".repeat(60);
  const chunks = await chunkText(body, 300, 40);
  const characters = Array.from(body);
  assert.ok(chunks.length > 8);
  chunks.forEach(({ chunkText, chunkIndex, charOffset, tokenCount }, index) => {
    assert.equal(chunkIndex, index);
    assert.equal(tokenCount, estimateTokens(chunkText));
    assert.ok(characters.slice(charOffset).join("").startsWith(chunkText));
  });
  assert.equal((await chunkText(body))[0].chunkText.length > 1000, true);
  assert.deepEqual(await chunkText(" \n "), []);
});

it("R-chunks: sizes out of range are errors", async () => {
  await assert.rejects(chunkText("a", 6001), { code: "option/size", message: /1 to 6000 are allowed/ });
  await assert.rejects(chunkText("a", 1.5), { code: "option/size" });
  await assert.rejects(chunkText("a", -1), { code: "option/size" });
  await assert.rejects(chunkText("a", 100, 100), { code: "option/overlap" });
  await assert.rejects(chunkText("a", 100, NaN), { code: "option/overlap" });
});
