// The unified recipe: one search for equal ones at once, an embedder that is asked only where it is needed, and what is
// asked often.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Flights } from "../../target/js/flights.js";
import { Frequencies } from "../../target/js/frequencies.js";
import { build, open } from "../../pkg/node.js";
import { Warming } from "../../target/js/warming.js";

const SCHEMA = {
  fields: { title: {}, content: {} },
  attributes: { project: "keyword", obsType: "keyword", scope: "keyword", concepts: "keywords", createdAt: "time" },
  vectors: { plane: { encoding: "f32", field: "place" } },
};
const RECORDS = [
  { id: "1", kind: "observation", title: "Chose SQLite", content: "the ledger has one writer", project: "api", createdAt: 1000, place: [1, 0] },
  { id: "1", kind: "session", title: "Ledger day", content: "moved the ledger", project: "api", createdAt: 2000, place: [1, 1] },
  { id: "2", kind: "prompt", content: "why is the timetable stale", project: "web", createdAt: 3000, place: [0, 1] },
];
const made = async (embed) => open((await build(RECORDS, SCHEMA)).snapshot(), embed && { embed });
const keys = ({ hits }) => hits.map(({ id, kind }) => `${id}/${kind}`);

/** An embedder that counts, and can be kept waiting. */
function counting() {
  const asked = [];
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const embed = async (texts) => {
    asked.push(...texts);
    await gate;
    return texts.map(() => [1, 0]);
  };
  return { asked, embed, release };
}

/** Stops the clock for a test: it is moved by hand. `waiting` are the timers that are set. */
function clock(mock) {
  const waiting = [];
  let now = 0;
  mock.method(Date, "now", () => now);
  mock.method(globalThis, "setTimeout", (work, milliseconds) => {
    const timer = { at: now + milliseconds, work };
    waiting.push(timer);
    return timer;
  });
  mock.method(globalThis, "clearTimeout", (timer) => {
    if (waiting.includes(timer)) waiting.splice(waiting.indexOf(timer), 1);
  });
  return {
    waiting,
    async pass(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const next = waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        waiting.splice(waiting.indexOf(next), 1);
        now = next.at;
        next.work();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = end;
    },
  };
}

test("U1: parameters reach the engine, dates as such, and what is unknown is an error", async () => {
  const { unified } = await made();
  assert.deepEqual(keys(await unified.search({ project: "api", dateStart: new Date(1500) })), ["1/session"]);
  assert.deepEqual(keys(await unified.search({ orderBy: "date_asc", format: "index", limit: 2 })), ["1/observation", "1/session"]);
  assert.equal((await unified.search({ format: "index" })).hits[0].record, undefined);
  assert.equal((await unified.search()).hits[0].record.content, "why is the timetable stale");
  await assert.rejects(unified.search({ type: "memories" }), { code: "option/type" });
  await assert.rejects(unified.search({ typ: "sessions" }), /typ: unknown option/);
});

test("U4: an embedder is asked once, about the query, and only where words are not sure", async () => {
  const { asked, embed, release } = counting();
  release();
  const records = Array.from({ length: 400 }, (_, id) => ({ id, kind: "prompt", content: `ordinary words ${id}`, place: [1, id] }));
  records.push({ id: "sure", kind: "prompt", content: "quokka quokka wallaby wallaby", place: [0, 1] });
  const engine = await open((await build(records, SCHEMA)).snapshot(), { embed });
  const sure = await engine.unified.search({ query: "quokka  wallaby" });
  assert.deepEqual([sure.mode, sure.shortCircuit, keys(sure)], ["keyword", true, ["sure/prompt"]]);
  assert.equal((await engine.unified.search({ query: "  " })).mode, "filter");
  assert.deepEqual(asked, []);
  const unsure = await engine.unified.search({ query: " ordinary \n words" });
  assert.equal(unsure.mode, "hybrid");
  assert.deepEqual(asked, ["ordinary words"]);
  assert.deepEqual(await engine.unified.search({ query: " ordinary \n words" }), unsure);
  assert.equal(asked.length, 1, "the answer was kept");
  const { hits, misses, shortCircuits } = engine.unified.stats();
  assert.deepEqual([hits, misses, shortCircuits], [1, 3, 1]);
});

test("U4: an embedder that fails leaves words, and is counted", async () => {
  const { unified } = await made(() => Promise.reject(new Error("no network")));
  for (const errors of [1, 2]) {
    const found = await unified.search({ query: "ledger" });
    assert.deepEqual([found.mode, found.degraded, found.hits.length], ["keyword", true, 2]);
    assert.match(found.warnings[0], /no network/);
    assert.equal(unified.stats().vectorErrors, errors);
  }
});

test("U7: boosters are those of the engine", async () => {
  const engine = await made();
  for (const name of ["decisions", "changes", "howItWorks"]) {
    const found = await engine.unified[name]("ledger", { limit: 2 });
    assert.deepEqual(found, engine.ask(`unified.${name}`, { query: "ledger", limit: 2 }));
    assert.equal((await engine.unified[name](" ")).mode, "filter");
  }
});

test("U8: callers have copies of their own, and any write forgets them", async () => {
  const engine = await made();
  const first = await engine.unified.search({ query: "ledger" });
  first.hits.length = 0;
  const second = await engine.unified.search({ query: "ledger" });
  assert.equal(second.hits.length, 2);
  assert.equal(engine.unified.stats().hits, 1);
  engine.add([{ id: "3", kind: "prompt", content: "a new ledger" }]);
  assert.equal((await engine.unified.search({ query: "ledger" })).hits.length, 3);
  assert.equal(engine.unified.stats().hits, 1);
});

test("INV-004: another vector or embedder is another search", async () => {
  const { unified } = await made();
  const first = async (params) => keys(await unified.search({ query: "zzz", ...params }))[0];
  assert.equal(await first({ vector: [1, 0] }), "1/observation");
  assert.equal(await first({ vector: new Float32Array([0, 1]) }), "2/prompt");
  assert.equal(await first({ embed: async () => [[1, 0]] }), "1/observation");
  assert.equal(await first({ embed: async () => [[0, 1]] }), "2/prompt");
});

test("U9, EDGE-7: equal searches at once are one execution, and each caller has a copy", async () => {
  const { asked, embed, release } = counting();
  const { unified } = await made(embed);
  const searches = [1, 2, 3].map(() => unified.search({ query: "ledger", limit: 5 }));
  const turned = unified.search({ limit: 5, query: "ledger" });
  const other = unified.search({ query: "ledger", limit: 6 });
  release();
  const answers = await Promise.all([...searches, turned]);
  await other;
  assert.deepEqual(asked, ["ledger", "ledger"]);
  answers[0].hits.length = 0;
  assert.ok(answers.slice(1).every(({ hits }) => hits.length === 3));
  const { searches: all, coalesced, misses, latency } = unified.stats();
  assert.deepEqual([all, coalesced, misses, latency.count], [5, 3, 2, 5]);
});

test("U9, GOTCHA-004: an error is everyone's, and the next search tries again", async () => {
  const flights = new Flights();
  let runs = 0;
  const failing = async () => {
    runs += 1;
    await null;
    throw new Error(`failure ${runs}`);
  };
  const outcomes = await Promise.allSettled([flights.join("a", failing), flights.join("a", failing)]);
  assert.deepEqual(outcomes.map(({ reason }) => reason.message), ["failure 1", "failure 1"]);
  await assert.rejects(flights.join("a", failing), /failure 2/);
  const { unified } = await made();
  const wrong = await Promise.allSettled([unified.search({ limit: "x" }), unified.search({ limit: "x" })]);
  assert.deepEqual(wrong.map(({ reason }) => reason.code), ["option/limit", "option/limit"]);
});

test("U9: one caller's abort does not end the others' search", async () => {
  const { asked, embed, release } = counting();
  const { unified } = await made(embed);
  const abort = new AbortController();
  const first = unified.search({ query: "ledger", signal: abort.signal });
  const second = unified.search({ query: "ledger" });
  abort.abort(new Error("enough"));
  await assert.rejects(first, /enough/);
  release();
  assert.equal((await second).hits.length, 3);
  assert.deepEqual(asked, ["ledger"]);
  await assert.rejects(unified.search({ query: "ledger", signal: AbortSignal.abort(new Error("before")) }), /before/);
});

test("U10: what was asked within a day is counted, a thousand at most, and cleaned every five minutes", ({ mock }) => {
  const { pass } = clock(mock);
  const frequencies = new Frequencies();
  const day = 24 * 60 * 60 * 1000;
  frequencies.note("old", 0);
  void pass(1);
  for (const key of ["a", "b", "b", "c", "c"]) frequencies.note(key, key.toUpperCase());
  assert.deepEqual(frequencies.top(2), [["b", "B"], ["c", "C"]]);
  void pass(day - 1);
  frequencies.note("new", 1);
  assert.equal(frequencies.size, 4, "the old one went with the cleaning");
  void pass(1);
  frequencies.note("newer", 1);
  assert.equal(frequencies.size, 5, "within five minutes nothing is cleaned");
  assert.deepEqual(frequencies.top(9).map(([key]) => key), ["newer", "new"], "but nothing stale is given");
  for (let i = 0; i < 1500; i++) frequencies.note(String(i), i);
  assert.equal(frequencies.size, 1000);
  assert.equal(frequencies.top(1000).some(([key]) => key === "499"), false, "what was not asked for longest went");
});

test("U10: warming begins after 30 seconds, goes on every 20, and only while it is started", async ({ mock }) => {
  const { pass, waiting } = clock(mock);
  const rounds = [];
  const warming = new Warming(async () => rounds.push(Date.now()));
  await pass(100_000);
  assert.deepEqual(rounds, []);
  warming.start();
  warming.start();
  assert.equal(waiting.length, 1);
  await pass(75_000);
  assert.deepEqual(rounds, [130_000, 150_000, 170_000]);
  warming.stop();
  warming.stop();
  await pass(100_000);
  assert.deepEqual([rounds.length, waiting.length], [3, 0]);
  warming.start();
  await pass(30_000);
  assert.equal(rounds.length, 4);
});

test("U10: warming that was stopped in the middle of a round stays so, and one that fails ends", async ({ mock }) => {
  const { pass, waiting } = clock(mock);
  let finish;
  const slow = new Warming(() => new Promise((resolve) => (finish = resolve)));
  slow.start();
  await pass(30_000);
  slow.stop();
  finish();
  await pass(60_000);
  assert.equal(waiting.length, 0);
  const failing = new Warming(() => Promise.reject(new Error("freed")));
  failing.start();
  await pass(60_000);
  assert.equal(waiting.length, 0);
  failing.start();
  assert.equal(waiting.length, 1, "it can be started anew");
});

test("U10: warm runs the five most frequent searches again, for no one", async () => {
  const { asked, embed, release } = counting();
  release();
  const { unified } = await made(embed);
  for (const count of [1, 2, 3, 4, 5, 6]) {
    for (let i = 0; i < count; i++) await unified.search({ query: `ledger ${count}` });
  }
  const before = unified.stats();
  asked.length = 0;
  assert.equal(await unified.warm(), 5);
  assert.deepEqual(asked, [6, 5, 4, 3, 2].map((count) => `ledger ${count}`));
  assert.deepEqual(unified.stats(), before);
});

test("U10: warming keeps no process alive", () => {
  const script = `
    import { build } from ${JSON.stringify(new URL("../../pkg/node.js", import.meta.url).href)};
    const engine = await build([{ id: 1, title: "a" }]);
    engine.unified.startWarming();
    console.log("started");
  `;
  const options = { encoding: "utf8", timeout: 15_000, cwd: fileURLToPath(new URL(".", import.meta.url)) };
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", script], options), "started\n");
});

test("U11: what is counted, and how long callers waited", async () => {
  const engine = await made();
  const { unified } = engine;
  assert.equal(unified, engine.unified);
  assert.deepEqual(unified.stats(), {
    searches: 0,
    hits: 0,
    misses: 0,
    coalesced: 0,
    shortCircuits: 0,
    vectorErrors: 0,
    latency: { count: 0, p50: 0, p95: 0, p99: 0 },
  });
  await unified.search({ query: "ledger" });
  await unified.search({ query: "ledger" });
  const { searches, hits, misses, latency } = unified.stats();
  assert.deepEqual([searches, hits, misses, latency.count], [2, 1, 1, 2]);
  assert.ok(latency.p50 > 0 && latency.p50 <= latency.p95 && latency.p95 <= latency.p99);
});

test("a search that is under way when its engine is freed has the answer that it got, or says why not", async () => {
  const { embed, release } = counting();
  const engine = await made(embed);
  const waiting = engine.unified.search({ query: "ledger" });
  engine.free();
  release();
  await assert.rejects(waiting, { code: "engine/freed" });
});
