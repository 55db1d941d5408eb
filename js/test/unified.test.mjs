// The unified recipe: coalesced searches, an embedder that is called only where it is needed, cached answers, warming, and the
// contract of options and responses.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Flights } from "../../target/js/flights.js";
import { Frequencies } from "../../target/js/frequencies.js";
import { Warming } from "../../target/js/warming.js";
import { build, open } from "./opening.mjs";

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
/** A response without the time that it took. */
const timeless = ({ elapsed, ...response }) => response;
const keys = ({ hits }) => hits.map(({ id, kind }) => `${id}/${kind}`);

/** An embedder that records its texts, and waits until it is released. */
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

/** Replaces the clock of a test by one that is moved by hand. `waiting` are the timers that are set. */
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

test("U1: parameters reach the engine, dates among them, and an unknown one is an error", async () => {
  const { unified } = await made();
  assert.deepEqual(keys(await unified.search({ project: "api", dateStart: new Date(1500) })), ["1/session"]);
  assert.deepEqual(keys(await unified.search({ orderBy: "date_asc", format: "index", limit: 2 })), ["1/observation", "1/session"]);
  assert.equal((await unified.search({ format: "index" })).hits[0].record, undefined);
  assert.equal((await unified.search()).hits[0].record.content, "why is the timetable stale");
  await assert.rejects(unified.search({ type: "memories" }), { code: "option/type" });
  await assert.rejects(unified.search({ typ: "sessions" }), { code: "option/unknown", message: /^typ: unknown option; the options are asOf, / });
});

test("U4: embed is called once, with the query, and only where keywords are not confident", async () => {
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
  assert.deepEqual(timeless(await engine.unified.search({ query: " ordinary \n words" })), timeless(unsure));
  assert.equal(asked.length, 1, "the answer was cached");
  const { hits, misses, shortCircuits } = engine.unified.stats();
  assert.deepEqual([hits, misses, shortCircuits], [1, 3, 1]);
});

test("U4: an embedder that fails leaves keywords, and is counted", async () => {
  const { unified } = await made(() => Promise.reject(new Error("no network")));
  for (const errors of [1, 2]) {
    const found = await unified.search({ query: "ledger" });
    assert.deepEqual([found.mode, found.degraded, found.hits.length], ["keyword", true, 2]);
    assert.match(found.warnings[0], /no network/);
    assert.equal(unified.stats().vectorErrors, errors);
  }
});

test("U7: boosters append the words of the engine, and embed gets the whole query", async () => {
  const { asked, embed, release } = counting();
  release();
  const { unified } = await made(embed);
  const boosters = {
    decisions: "ledger decision chose architecture",
    changes: "ledger changed modified refactored",
    howItWorks: "ledger architecture design pattern implements",
  };
  for (const [name, query] of Object.entries(boosters)) {
    const found = await unified[name](" ledger", { limit: 2 });
    assert.equal(found.query, query);
    assert.deepEqual(timeless(found), timeless(await unified.search({ query, limit: 2 })));
    assert.equal((await unified[name](" ")).mode, "filter");
  }
  assert.deepEqual(asked, Object.values(boosters));
});

test("U7: a faulty query of a booster is option/query, together with every other fault", async () => {
  const { unified } = await made();
  for (const name of ["decisions", "changes", "howItWorks"]) {
    for (const query of [undefined, null, 5, {}, () => "a", NaN]) {
      await assert.rejects(unified[name](query, { limit: "many" }), ({ code, message }) => {
        assert.equal(code, "option/query", message);
        return /query: /.test(message) && /limit: /.test(message);
      });
    }
    await assert.rejects(unified[name](), { code: "option/query", message: "query: is required" });
    await assert.rejects(unified[name]("a", 5), { code: "option/invalid" });
    assert.equal((await unified[name]("ledger\ud800")).query.startsWith("ledger\ufffd"), true);
  }
  await assert.rejects(unified.search({ query: 5 }), { code: "option/query" });
  await assert.rejects(unified.search({ query: null }), { code: "option/query" });
  await assert.rejects(unified.search("ledger"), { code: "option/invalid" });
});

test("U8: callers have copies of their own, and any write clears the cache", async () => {
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

test("INV-004: another vector or model is another search; another function that embeds is not", async () => {
  const { unified } = await made();
  const first = async (params) => keys(await unified.search({ query: "zzz", ...params }))[0];
  assert.equal(await first({ vector: [1, 0] }), "1/observation");
  assert.equal(await first({ vector: new Float32Array([0, 1]) }), "2/prompt");
  assert.equal(await first({ embed: async () => [[1, 0]] }), "1/observation");
  assert.equal(unified.stats().hits, 0, "with and without embed are two searches");
  assert.equal(await first({ embed: async () => [[0, 1]] }), "1/observation", "the answer does not depend on the function");
  assert.equal(unified.stats().hits, 1);
});

test("U2: a limit is clamped and reported, 0 is the default, and anything else is an error", async () => {
  const { unified } = await made();
  for (const [given, used] of [[500, 100], [-1, 1], [Infinity, 100], [-Infinity, 1], [2.5, 2]]) {
    const { limit, clamped } = await unified.search({ limit: given });
    assert.equal(limit, used);
    assert.deepEqual(clamped, { limit: { given, used } });
  }
  for (const limit of [0, undefined, 1, 100]) {
    const found = await unified.search({ limit });
    assert.deepEqual([found.limit, found.clamped], [limit || 20, undefined]);
  }
  for (const limit of [NaN, "many", null, {}, [3], () => 3, 3n]) {
    await assert.rejects(unified.search({ limit }), { code: "option/limit" });
  }
});

test("INV-003: the thresholds of the short circuit are options, and false turns it off", async () => {
  const { asked, embed, release } = counting();
  release();
  const records = Array.from({ length: 400 }, (_, id) => ({ id, kind: "prompt", content: `ordinary words ${id}`, place: [1, id] }));
  records.push({ id: "sure", kind: "prompt", content: "quokka quokka wallaby wallaby", place: [0, 1] });
  const { unified } = await open((await build(records, SCHEMA)).snapshot(), { embed });
  const isShort = async (shortCircuit) => (await unified.search({ query: "quokka wallaby", shortCircuit })).shortCircuit;
  assert.deepEqual([await isShort(undefined), await isShort(true), asked.length], [true, true, 0]);
  assert.deepEqual([await isShort({ score: 0.5, gap: 0.5 }), asked.length], [true, 0]);
  assert.equal(await isShort({ score: 1 }), false);
  assert.equal(await isShort(false), false);
  assert.deepEqual(asked, ["quokka wallaby"], "one vector for both");
  for (const shortCircuit of [null, 1, "never", { score: 2 }, { gap: NaN }, { lead: 0 }]) {
    await assert.rejects(isShort(shortCircuit), { code: "option/shortCircuit" });
  }
});

test("U6: the number of variants and the vocabulary are options", async () => {
  const { unified } = await made();
  const expanded = (params) => unified.search({ query: "why did the ledger fail?", vector: [1, 0], expand: true, ...params });
  for (const [expansions, count] of [[1, 1], [2, 2], [undefined, 3], [10, 3]]) {
    assert.equal((await expanded({ expansions })).variants.length, count);
  }
  assert.equal((await expanded()).degraded, true, "the snapshot has no embedder for the words of its index");
  assert.deepEqual((await expanded({ vocabulary: false })).warnings, []);
  for (const expansions of [0, 11, 1.5, Infinity, "2"]) await assert.rejects(expanded({ expansions }), { code: "option/expansions" });
  await assert.rejects(expanded({ vocabulary: "no" }), { code: "option/vocabulary" });
});

test("every response has warnings, degraded and elapsed, and explanations have one shape", async () => {
  const { unified } = await made();
  for (const found of [await unified.search(), await unified.decisions("ledger"), await unified.search({ query: "zzz", vector: [1, 0] })]) {
    assert.ok(Array.isArray(found.warnings) && typeof found.degraded === "boolean" && found.elapsed >= 0);
  }
  const { hits } = await unified.search({ query: "ledger", vector: [1, 0], explain: true });
  const { keyword, vector, parts, factors } = hits[0].explain;
  assert.ok(keyword.bm25 < 0 && keyword.place === 0 && Math.abs(vector.similarity) <= 1);
  assert.equal(parts.reduce((sum, { product }) => sum + product, 0), hits[0].score);
  assert.deepEqual(factors, []);
});

test("an unusable vector from embed degrades the response, is not cached, and is an error with strict", async () => {
  const unusable = { throws: () => { throw new Error("down"); }, zeros: () => [[0, 0]], NaN: () => [[NaN, 1]], width: () => [[1]], count: () => [] };
  for (const [name, embed] of Object.entries(unusable)) {
    let calls = 0;
    const { unified } = await made((texts) => ((calls += 1), embed(texts)));
    for (const errors of [1, 2]) {
      const found = await unified.search({ query: "ledger" });
      assert.deepEqual([found.mode, found.degraded, found.hits.length], ["keyword", true, 2], name);
      assert.match(found.warnings[0], /^embed: .*only keywords were searched$/, name);
      assert.deepEqual([calls, unified.stats().vectorErrors], [errors, errors], name);
    }
    await assert.rejects(unified.search({ query: "ledger", strict: true }), { code: "embed/failed" }, name);
    assert.equal(unified.stats().vectorErrors, 3, name);
    assert.equal((await unified.search({ strict: true })).mode, "filter", "a filter search needs no vector");
  }
});

test("a vector that the caller passes must be usable", async () => {
  const { unified } = await made();
  for (const vector of [[1], [NaN, 1], "1,0", [0, "1"]]) {
    await assert.rejects(unified.search({ query: "ledger", vector }), { code: "option/vector" });
  }
  for (const embed of ["x", {}, null]) await assert.rejects(unified.search({ query: "ledger", embed }), { code: "option/embed" });
});

test("every asynchronous call takes a signal", async () => {
  const { embed, release } = counting();
  const { unified } = await made(embed);
  const calls = {
    search: (signal) => unified.search({ query: "ledger", signal }),
    decisions: (signal) => unified.decisions("ledger", { signal }),
    changes: (signal) => unified.changes("ledger", { signal }),
    howItWorks: (signal) => unified.howItWorks("ledger", { signal }),
  };
  for (const [name, call] of Object.entries(calls)) {
    await assert.rejects(call(AbortSignal.abort(new Error("before"))), /before/, name);
    await assert.rejects(call("now"), { code: "option/signal" }, name);
    const abort = new AbortController();
    const waiting = call(abort.signal);
    await null;
    abort.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/, name);
  }
  release();
  await unified.search({ query: "ledger" });
  await assert.rejects(unified.warm({ signal: AbortSignal.abort(new Error("before")) }), /before/);
  await assert.rejects(unified.warm({ signal: "now" }), { code: "option/signal" });
  await assert.rejects(unified.warm({ sign: 1 }), { code: "option/unknown" });
});

test("U9, EDGE-7: equal searches at the same time run once, and each caller has a copy", async () => {
  const { asked, embed, release } = counting();
  const { unified } = await made(embed);
  const searches = [1, 2, 3].map(() => unified.search({ query: "ledger", limit: 5 }));
  const turned = unified.search({ limit: 5, query: "ledger" });
  const other = unified.search({ query: "ledger", limit: 6 });
  release();
  const answers = await Promise.all([...searches, turned]);
  await other;
  assert.deepEqual(asked, ["ledger", "ledger"], "once per execution");
  answers[0].hits.length = 0;
  assert.ok(answers.slice(1).every(({ hits }) => hits.length === 3));
  const { searches: all, coalesced, misses, latency } = unified.stats();
  assert.deepEqual([all, coalesced, misses, latency.count], [5, 3, 2, 5]);
});

test("U9, GOTCHA-004: coalesced searches share an error, and the next search tries again", async () => {
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

test("U10: searches of the last day are counted, a thousand at most, and stale ones removed every five minutes", ({ mock }) => {
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

test("U10: warming that is stopped in the middle of a round stays stopped, and one that fails ends", async ({ mock }) => {
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

test("U10: warm runs the five most frequent searches again, and counts none of them", async () => {
  const { embed, release } = counting();
  release();
  const engine = await made(embed);
  const { unified } = engine;
  for (const count of [1, 2, 3, 4, 5, 6]) {
    for (let i = 0; i < count; i++) await unified.search({ query: `ledger ${count}` });
  }
  engine.add([{ id: "new", kind: "prompt", content: "a new ledger" }]);
  const before = unified.stats();
  assert.equal(await unified.warm(), 5);
  assert.deepEqual(unified.stats(), before);
  for (const count of [6, 5, 4, 3, 2]) await unified.search({ query: `ledger ${count}` });
  assert.equal(unified.stats().hits - before.hits, 5, "their answers are in the cache");
  await unified.search({ query: "ledger 1" });
  assert.equal(unified.stats().misses - before.misses, 1);
});

test("U10: warm renews the answers of boosters too", async () => {
  const engine = await made();
  await engine.unified.decisions("ledger");
  engine.add([{ id: "new", kind: "prompt", content: "a new ledger" }]);
  assert.equal(await engine.unified.warm(), 1);
  assert.equal((await engine.unified.decisions("ledger")).hits.length, 3);
  assert.equal(engine.unified.stats().hits, 1);
});

test("U10: a search that fails does not keep warm from running the others", async () => {
  let isDown = false;
  const engine = await made(async (texts) => {
    if (isDown) throw new Error("down");
    return texts.map(() => [1, 0]);
  });
  await engine.unified.search({ query: "ledger", strict: true });
  await engine.unified.search({ query: "timetable" });
  // The engine caches the vectors of the last 500 queries; these push out the first two.
  for (let i = 0; i < 500; i++) await engine.search(`filler ${i}`);
  isDown = true;
  assert.equal(await engine.unified.warm(), 1);
});

test("U10: warm and warming survive a freed engine", async ({ mock }) => {
  const engine = await made();
  await engine.unified.search({ query: "ledger" });
  const { pass, waiting } = clock(mock);
  engine.unified.startWarming();
  engine.free();
  assert.equal(await engine.unified.warm(), 0);
  await pass(30_000);
  assert.equal(waiting.length, 0, "the warming ended");
  engine.unified.startWarming();
  engine.unified.stopWarming();
  const unused = await made();
  unused.unified.startWarming();
  unused.free();
  await pass(30_000);
  assert.equal(waiting.length, 0, "also where there was nothing to warm");
});

test("U10: an engine that is freed in the middle of a round ends it", async () => {
  const engine = await made();
  await engine.unified.search({ query: "ledger" });
  const round = engine.unified.warm();
  engine.free();
  assert.ok((await round) <= 1);
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

test("U11: stats has counts, and how long callers waited", async () => {
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

test("a search that waits for its embedder when the engine is freed rejects with engine/freed", async () => {
  const { embed, release } = counting();
  const engine = await made(embed);
  const waiting = engine.unified.search({ query: "ledger" });
  engine.free();
  release();
  await assert.rejects(waiting, { code: "engine/freed" });
});

/** Writes to an engine, each of which adds a record with "ledger" or removes one; all are synchronous. */
const WRITES = {
  add: (engine) => engine.add([{ id: "new", kind: "prompt", content: "a new ledger" }]),
  remove: (engine) => engine.remove([{ id: "1", kind: "session" }]),
  apply: (engine, changes) => engine.apply(changes),
  "memory.create": (engine) => engine.askSync("memory.create", { content: "remember the ledger" }),
};

test("U8, U9: a search after a write does not join one that began before it, and finds what was written", async () => {
  const other = await made();
  WRITES.add(other);
  const changes = other.changes();
  for (const [name, write] of Object.entries(WRITES)) {
    // The write comes while the first search is somewhere between its start and its end.
    for (let turns = 0; turns < 16; turns++) {
      const engine = await made();
      const first = engine.unified.search({ query: "ledger" });
      for (let turn = 0; turn < turns; turn++) await null;
      write(engine, changes);
      const found = keys(await engine.unified.search({ query: "ledger" }));
      assert.equal(found.length, name === "remove" ? 1 : 3, `${name} after ${turns} turns: ${found}`);
      await first;
      assert.deepEqual(keys(await engine.unified.search({ query: "ledger" })), found, `${name}: the cache has no stale answer`);
      engine.free();
    }
  }
});

test("U9: a write while a search waits for its embedder is in the answer", async () => {
  const { embed, release } = counting();
  const engine = await made(embed);
  const first = engine.unified.search({ query: "ledger" });
  await new Promise((resolve) => setImmediate(resolve));
  WRITES.add(engine);
  const second = engine.unified.search({ query: "ledger" });
  release();
  for (const found of [await first, await second]) assert.equal(keys(found).includes("new/prompt"), true);
});
