// Measures the cost that a recipe adds to retrieval. Each query runs as a plain search with the same number of candidates,
// without snippets and records, and then through the recipe with its full response. The answers are checked before anything is
// timed.
//
//   node recipe-cost.mjs [--records N] [--queries N]
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { build } from "../../pkg/node.js";

const { values } = parseArgs({ options: { records: { type: "string", default: "60000" }, queries: { type: "string", default: "400" } } });
const [count, asked] = [Number(values.records), Number(values.queries)];
const WIDTH = 64;
const NOW = 1_780_000_000_000;
const DAY = 86_400_000;

let state = 12345;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const below = (end) => Math.floor(random() * end);
/** Makes words of three or four syllables, so that few words are prefixes of others. */
const SYLLABLES = ["ka", "ro", "mi", "tel", "un", "da", "vos", "pir", "le", "sa", "gon", "bri", "ho", "wex", "ju", "fan"];
const syllables = (number, length) => Array.from({ length }, (_, place) => SYLLABLES[(number >> (4 * place)) & 15]).join("");
const VOCABULARY = Array.from({ length: 4000 }, (_, number) => syllables(number * 40503, number % 2 ? 3 : 4));
/** Picks a word at random; words with smaller numbers are more frequent. */
const word = () => VOCABULARY[Math.floor(4000 * random() ** 3)];
const words = (length) => Array.from({ length }, word).join(" ");
const vector = () => Array.from({ length: WIDTH }, () => random() - 0.5);
const pick = (all) => all[below(all.length)];
const at = () => NOW - below(400) * DAY;

const kinds = {
  memory: {
    record: (id) => ({
      id: `r${id}`,
      kind: "memory",
      content: words(40),
      projectId: `p${below(5)}`,
      salience: random(),
      createdAt: at(),
      sector: pick(["episodic", "semantic", "procedural", "emotional", "reflective"]),
      isDeleted: false,
    }),
    // The memory recipe searches for prefixes.
    plain: () => ({ candidates: 20, recipe: { retrieve: { words: "prefix" }, signals: { bm25: {}, vector: {} } } }),
    ask: (engine, query, vector) => engine.memory.search({ query, vector, track: false, now: NOW }),
  },
  rag: {
    record: (id) => ({
      id: `context:${id >> 2}#${id & 3}`,
      kind: "chunk",
      text: words(40),
      sourceType: "context",
      sourceId: String(id >> 2),
      chunkIndex: id & 3,
      charOffset: 0,
      tokenCount: 50,
      contextId: `c${below(3000)}`,
      sessionId: `s${below(2000)}`,
      createdAt: at(),
    }),
    plain: () => ({ candidates: 60 }),
    ask: (engine, query, vector) => engine.rag.search({ query, vector, now: NOW }),
  },
  unified: {
    record: (id) => ({
      id: `r${id}`,
      kind: pick(["observation", "session", "prompt"]),
      title: words(5),
      content: words(35),
      project: `p${below(5)}`,
      createdAt: at(),
    }),
    plain: () => ({ candidates: 40 }),
    ask: (engine, query, vector) => engine.unified.search({ query, vector, now: (clock += 60_000) }),
  },
  vault: {
    record: (id) => ({
      id: `e${id}`,
      kind: "entry",
      title: words(5),
      description: words(25),
      context: words(10),
      tags: [word(), word()],
      severity: pick(["critical", "warning", "suggestion"]),
      domain: `d${below(9)}`,
      type: "pattern",
      createdAt: at(),
      updatedAt: at(),
    }),
    plain: () => ({ candidates: 30 }),
    ask: (engine, query, vector) => engine.vault.search(query, { vector, domain: "d1", tags: [VOCABULARY[1]], now: NOW }),
  },
};
/** The unified recipe caches responses for 30 s, so each query comes a minute after the one before. */
let clock = NOW;

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const milliseconds = (number) => number.toFixed(2).padStart(7);
console.log(`${count} records, ${asked} questions, milliseconds\n`);
console.log("recipe    plain p50  plain p95  recipe p50  recipe p95  added p50  added p95");
let passed = 0;
for (const [name, { record, plain, ask }] of Object.entries(kinds)) {
  const schema = (await build([{ id: "x", kind: "x" }], name)).schema();
  const own = { ...schema, vectors: { own: { encoding: "i8", field: "vector", width: WIDTH } } };
  const records = Array.from({ length: count }, (_, id) => ({ ...record(id), vector: vector() }));
  const engine = await build(records, own);
  const questions = Array.from({ length: asked }, () => [words(3), Float32Array.from(vector())]);
  const base = (query, numbers) =>
    engine.search(query, { vector: numbers, fusion: "rrf", limit: 10, snippet: { tokens: 0 }, now: NOW, ...plain() });
  const found = await ask(engine, ...questions[0]);
  assert.ok((found.results ?? found.hits).length > 0, `${name} finds something`);
  assert.ok((await base(...questions[0])).hits.length > 0);
  const times = { plain: [], recipe: [] };
  for (const round of ["warm", "timed"]) {
    for (const [query, numbers] of questions) {
      const started = performance.now();
      await base(query, numbers);
      const between = performance.now();
      await ask(engine, query, numbers);
      if (round === "timed") {
        times.plain.push(between - started);
        times.recipe.push(performance.now() - between);
      }
    }
  }
  const [p, r] = [times.plain, times.recipe].map((list) => list.sort((a, b) => a - b));
  const [p50, p95, r50, r95] = [percentile(p, 0.5), percentile(p, 0.95), percentile(r, 0.5), percentile(r, 0.95)];
  console.log(
    `${name.padEnd(9)} ${[p50, p95].map((n) => milliseconds(n).padStart(10)).join(" ")} ${[r50, r95].map((n) => milliseconds(n).padStart(11)).join(" ")} ${[r50 - p50, r95 - p95].map((n) => milliseconds(n).padStart(10)).join(" ")}`,
  );
  engine.free();
  passed++;
}
console.log(`\n${passed} passed, 0 failed`);
