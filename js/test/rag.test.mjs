import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  applyGraphRerank,
  buildFilters,
  buildGraphPayload,
  expandWithNeighborChunks,
  getSearchMode,
  normalizeRankScore,
} from "../../pkg/node.js";
import { EmbeddingCache } from "../../target/js/embedding-cache.js";
import { build, open } from "./opening.mjs";

const attributes = {
  ...Object.fromEntries(["sourceType", "sourceId", "sessionId", "contextId", "actionId", "parentId", "contentHash"].map((name) => [name, "keyword"])),
  ...Object.fromEntries(["chunkIndex", "charOffset", "tokenCount"].map((name) => [name, "number"])),
  createdAt: "time",
};
const engineWith = (vectors) => build([], { fields: { title: {}, text: {} }, attributes, vectors });

/** A vector by the letters that a text has, and the texts that were asked for. */
function letters() {
  const asked = [];
  const embed = async (texts) => {
    asked.push([...texts]);
    return texts.map((text) => Float32Array.from("abcd", (letter) => text.split(letter).length - 1 + 0.01));
  };
  return { embed, asked };
}

const sources = [
  { sourceType: "context", sourceId: 1, title: "A", body: "aaaa aaaa bbbb", sessionId: "s" },
  { sourceType: "action", sourceId: 2, body: "cccc", contextId: 1 },
  { sourceType: "thought", sourceId: "t", body: "dddd dddd", actionId: 2, createdAt: "2026-01-02T00:00:00Z" },
];

describe("rag", () => {
  it("R-sources: indexes with an embed function, in batches, and tells how far it is", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed, asked } = letters();
    const progress = [];
    const options = { embed, batchSize: 2, chunkSize: 10, chunkOverlap: 0, onProgress: (now) => progress.push(now) };
    const response = await engine.rag.index(sources, options);
    assert.deepEqual(asked.map(({ length }) => length), [2, 2]);
    assert.equal(asked[0][0], "A\naaaa aaaa ");
    assert.deepEqual(progress, [{ sources: 3, total: 3, chunks: 4 }]);
    assert.equal(response.qualityTier, "high");
    assert.deepEqual(response.embedding, { providers: ["embed"], models: ["m"], fallbackCount: 0 });
    assert.equal(engine.record("context:1#0", "chunk").contentHash.length, 64);

    const again = await engine.rag.index(sources, options);
    assert.deepEqual(again.sources.map(({ reason }) => reason), Array(3).fill("content_unchanged"));
    assert.equal(asked.length, 2, "what did not change is not embedded");

    const found = await engine.rag.search({ query: "zzz dd", mode: "semantic", embed });
    assert.equal(found.results[0].id, "thought:t#0");
    assert.equal(found.embedding.provider, "embed");
    assert.equal(found.qualityTier, "high");
    assert.deepEqual(found.graph.edges, [{ from: "thought:t", to: "action:2", relation: "thought_action", weight: 0.85 }]);
    engine.free();
  });

  it("R-sources: without an embed function, the snapshot embeds by itself", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    const response = await engine.rag.index(sources, { strict: true });
    assert.equal(response.qualityTier, "local");
    const found = await engine.rag.search({ query: "aaaa", limit: 1000 });
    assert.equal(found.mode, "hybrid");
    assert.equal(found.results[0].sourceId, "1");
    assert.deepEqual(found.clamped, { limit: { given: 1000, used: 100 } });
    const { elapsed, ...removed } = engine.rag.remove({ sourceType: "context", sourceId: 1 });
    assert.deepEqual(removed, { success: true, removed: 1, degraded: false, warnings: [] });
    assert.equal(typeof elapsed, "number");
    assert.equal(engine.length, 2);
    engine.free();
  });

  it("R-sources: many sources are written in several calls, and told as one", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    const many = Array.from({ length: 70 }, (_, i) => ({ sourceType: "note", sourceId: i, body: `note ${i}` }));
    const progress = [];
    const response = await engine.rag.index(many, { onProgress: ({ sources }) => progress.push(sources) });
    assert.deepEqual(progress, [32, 64, 70]);
    assert.deepEqual([response.indexed, response.indexedChunks, response.sources.length], [70, 70, 70]);
    assert.equal(response.qualityTier, "local");
    const again = await engine.rag.index(many);
    assert.deepEqual([again.indexed, again.skipped], [0, 70]);
    engine.free();
  });

  it("R-sources: an embed function that fails is a fallback that is counted, or with strict an error", async () => {
    const engine = await engineWith({ m: { encoding: "f32" }, own: { embedder: "hash" } });
    const { embed } = letters();
    const flaky = async (texts) => {
      if (texts.some((text) => text.includes("c"))) throw new Error("no net");
      return embed(texts);
    };
    await assert.rejects(engine.rag.index(sources, { embed: flaky, strict: true, batchSize: 1 }), { code: "embed/failed" });
    assert.equal(engine.length, 0);
    const response = await engine.rag.index(sources, { embed: flaky, batchSize: 1 });
    assert.equal(response.qualityTier, "degraded");
    assert.equal(response.embedding.fallbackCount, 1);
    assert.deepEqual(response.embedding.providers, ["embed", "hash"]);
    assert.match(response.embedding.fallbackReasons[0], /no net/);
    const wrong = await engine.rag.index(sources, { embed: async () => [[1, 2]], force: true });
    assert.equal(wrong.embedding.fallbackCount, 3);

    const found = await engine.rag.search({ query: "cccc", embed: () => Promise.reject(new Error("no net")) });
    assert.equal(found.degraded, true);
    assert.equal(found.qualityTier, "degraded");
    assert.equal(found.embedding.fallbackUsed, true);
    assert.match(found.warnings[0], /no net/);
    const strict = { query: "cccc", strict: true, embed: () => Promise.reject(new Error("no net")) };
    await assert.rejects(engine.rag.search(strict), { code: "embed/failed", message: /no net/ });
    engine.free();
  });

  it("R-sources: a signal ends indexing, and what was written stays", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const many = Array.from({ length: 40 }, (_, i) => ({ sourceType: "note", sourceId: i, body: `a ${i}` }));
    const abort = new AbortController();
    const { embed } = letters();
    const indexed = engine.rag.index(many, { embed, signal: abort.signal, onProgress: () => abort.abort(new Error("enough")) });
    await assert.rejects(indexed, { message: "enough" });
    assert.equal(engine.length, 32);
    const late = new AbortController();
    setTimeout(() => late.abort(), 20);
    await assert.rejects(engine.rag.index(many, { embed: () => new Promise(() => {}), signal: late.signal }), { name: "AbortError" });
    engine.free();
  });

  it("R12: search waits for what is being indexed, and not for ever", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    let release;
    const held = new Promise((resolve) => (release = resolve));
    const slow = async (texts) => (await held, embed(texts));
    const indexed = engine.rag.index(sources, { embed: slow });
    const soon = await engine.rag.search({ query: "cccc", mode: "fts", waitForIndexMs: 0 });
    assert.equal(soon.count, 0);
    const waiting = engine.rag.search({ query: "cccc", mode: "fts" });
    release();
    assert.equal((await waiting).count, 1);
    await indexed;
    engine.free();
  });

  it("R11: what cannot be used is an error with the option's name", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    await assert.rejects(engine.rag.search({}), { code: "option/query" });
    await assert.rejects(engine.rag.search({ query: "a", lmiit: 1 }), { code: "option/unknown", message: /options are .*waitForIndexMs/ });
    await assert.rejects(engine.rag.search({ query: 7, waitForIndexMs: "soon" }), { code: "option/waitForIndexMs", message: /query: must be a string/ });
    await assert.rejects(engine.rag.index([{ sourceType: "a", sourceId: 1 }]), { code: "option/sources" });
    await assert.rejects(engine.rag.index([], { batchSize: "many", onProgress: 7 }), (error) => {
      assert.equal(error.code, "option/onProgress");
      assert.match(error.message, /onProgress: must be a function, not a number; batchSize: must be a number, not a string/);
      return true;
    });
    await assert.rejects(engine.rag.index([], { vector: [1] }), { code: "option/unknown" });
    await assert.rejects(engine.rag.index([], 7), { code: "option/invalid" });
    assert.throws(() => engine.rag.remove({ sourceType: "a" }), { code: "option/sourceId" });
    const clamped = await engine.rag.index([], { batchSize: 0, parallelBatches: 99, checkpointEvery: Infinity });
    assert.deepEqual(Object.keys(clamped.clamped).sort(), ["batchSize", "checkpointEvery", "parallelBatches"]);
    assert.deepEqual(clamped.clamped.checkpointEvery, { given: Infinity, used: 10_000 });
    await assert.rejects(engine.rag.index([], { sources }), { code: "option/sources" });
    assert.equal((await engine.rag.search({ query: "a", waitForIndexMs: 1e9 })).clamped.waitForIndexMs.used, 10_000);
    engine.free();
  });

  it("R13: a query is embedded once, whichever function embeds it", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const [one, two] = [letters(), letters()];
    await engine.rag.index(sources, { embed: one.embed });
    one.asked.length = 0;
    for (const query of ["aa", "bb", "aa", "aa"]) await engine.rag.search({ query, embed: one.embed });
    assert.deepEqual(one.asked, [["aa"], ["bb"]]);
    await engine.rag.search({ query: "aa", embed: two.embed });
    assert.deepEqual(two.asked, [], "the cache is keyed by text and model");
    await engine.rag.search({ query: "cc", mode: "fts", embed: one.embed });
    assert.equal(one.asked.length, 2, "words need no vector");
    engine.free();
  });

  it("R13: a query vector that cannot be used is not kept, and the next search asks again", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    await engine.rag.index(sources, { embed });
    const unusable = [[NaN, 0, 0, 0], [0, 0, 0, 0], [1, 2], [], "no vector", null];
    for (const vector of unusable) {
      const found = await engine.rag.search({ query: "dddd", embed: async () => [vector] });
      assert.deepEqual([found.degraded, found.mode, found.qualityTier], [true, "fts", "degraded"]);
      assert.match(found.warnings[0], /^embed: /);
      await assert.rejects(engine.rag.search({ query: "dddd", strict: true, embed: async () => [vector] }), { code: "embed/failed" });
    }
    const found = await engine.rag.search({ query: "dddd", embed });
    assert.deepEqual([found.degraded, found.mode, found.warnings], [false, "hybrid", []]);
    engine.free();
  });
});

/** An embed function that waits until it is released. */
function held(embed) {
  let release;
  const waiting = new Promise((resolve) => (release = resolve));
  return { release, embed: async (texts) => (await waiting, embed(texts)) };
}

describe("rag, calls for one source", () => {
  const source = (body) => [{ sourceType: "note", sourceId: 7, body }];
  const textOf = (engine) => engine.record("note:7#0", "chunk")?.text;

  it("R-sources: a later index wins over a slower one that was called before", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    const slow = held(embed);
    const first = engine.rag.index(source("aaaa one"), { embed: slow.embed });
    const second = await engine.rag.index(source("bbbb two"), { embed });
    assert.equal(second.indexed, 1);
    slow.release();
    const { indexed, sources: [report] } = await first;
    assert.deepEqual([indexed, report.reason, report.indexedChunks], [0, "superseded", 0]);
    assert.equal(textOf(engine), "bbbb two");
    engine.free();
  });

  it("R-sources: a later index wins although both are slow, and although it changes nothing", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    await engine.rag.index(source("aaaa"), { embed });
    const [one, two] = [held(embed), held(embed)];
    const calls = [engine.rag.index(source("bbbb"), { embed: one.embed }), engine.rag.index(source("cccc"), { embed: two.embed })];
    two.release();
    await calls[1];
    one.release();
    await calls[0];
    assert.equal(textOf(engine), "cccc");

    const late = held(embed);
    const slow = engine.rag.index(source("dddd"), { embed: late.embed });
    const same = await engine.rag.index(source("cccc"), { embed });
    assert.equal(same.sources[0].reason, "content_unchanged");
    late.release();
    await slow;
    assert.equal(textOf(engine), "cccc");
    engine.free();
  });

  it("R-sources: an older index still counts where the later one fails, and other sources are not touched", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    const slow = held(embed);
    const other = { sourceType: "note", sourceId: 8, body: "dddd" };
    const first = engine.rag.index([...source("aaaa"), other], { embed: slow.embed });
    const broken = async () => { throw new Error("no net"); };
    await assert.rejects(engine.rag.index(source("bbbb"), { embed: broken, strict: true }), { code: "embed/failed" });
    slow.release();
    assert.equal((await first).indexed, 2);
    assert.equal(textOf(engine), "aaaa");
    engine.free();
  });

  it("R-sources: a source that is removed during a slow index stays removed", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    await engine.rag.index(source("aaaa"), { embed });
    const slow = held(embed);
    const indexed = engine.rag.index(source("bbbb"), { embed: slow.embed });
    assert.equal(engine.rag.remove({ sourceType: "note", sourceId: "7" }).removed, 1);
    slow.release();
    assert.equal((await indexed).sources[0].reason, "superseded");
    assert.equal(engine.length, 0);
    assert.equal((await engine.rag.index(source("cccc"), { embed })).indexed, 1, "a later call brings it back");
    assert.equal(textOf(engine), "cccc");
    engine.free();
  });

  it("R-sources: after an outage of the embedder, the same body gets its vectors", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed, asked } = letters();
    const outage = await engine.rag.index(source("aaaa"), { embed: async () => { throw new Error("no net"); } });
    assert.deepEqual([outage.degraded, outage.embedding.fallbackCount], [true, 1]);
    assert.match(outage.warnings[0], /no net/);
    const again = await engine.rag.index(source("aaaa"), { embed });
    assert.deepEqual([again.indexed, again.degraded, again.qualityTier, again.warnings], [1, false, "high", []]);
    const found = await engine.rag.search({ query: "zzz a", mode: "semantic", embed });
    assert.equal(found.results[0].id, "note:7#0");
    asked.length = 0;
    assert.equal((await engine.rag.index(source("aaaa"), { embed })).sources[0].reason, "content_unchanged");
    assert.deepEqual(asked, []);
    engine.free();
  });

  it("R-sources: the chunks whose texts were embedded keep their vectors where others failed", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    const half = async (texts) => (await embed(texts)).map((vector, place) => (place === 0 ? vector : [NaN]));
    const options = { chunkSize: 10, chunkOverlap: 0 };
    const response = await engine.rag.index(source("aaaa aaaa bbbb bbbb"), { ...options, embed: half });
    assert.deepEqual([response.indexedChunks, response.embedding.fallbackCount], [2, 1]);
    const found = await engine.rag.search({ query: "zzz a", mode: "semantic", embed });
    assert.deepEqual(found.results.map(({ id }) => id), ["note:7#0"]);
    engine.free();
  });

  it("R-sources: a source that its caller changes during a slow index is written as it was given", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    const slow = held(embed);
    const given = { sourceType: "note", sourceId: 7, body: "aaaa" };
    const indexed = engine.rag.index([given], { embed: slow.embed });
    given.body = "bbbb ".repeat(1000);
    slow.release();
    assert.equal((await indexed).indexedChunks, 1);
    assert.equal(textOf(engine), "aaaa");
    engine.free();
  });

  it("R-sources: with strict, chunks that nobody embeds are an error", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    await assert.rejects(engine.rag.index(source("aaaa"), { strict: true }), { code: "embed/failed", message: /no embedder for it/ });
    assert.equal(engine.length, 0);
    engine.free();
  });

  it("R-sources: a source is removed at once, although its documents are in another file", async () => {
    const whole = await engineWith({ own: { embedder: "hash" } });
    await whole.rag.index([...source("aaaa"), { sourceType: "note", sourceId: 8, body: "bbbb" }]);
    const { snapshot, docs } = whole.splitSnapshot();
    const engine = await open(snapshot, { docs: new Blob(docs) });
    assert.equal(engine.rag.remove({ sourceType: "note", sourceId: 7 }).removed, 1);
    assert.deepEqual((await engine.rag.search({ query: "aaaa bbbb", mode: "fts" })).results.map(({ id }) => id), ["note:8#0"]);
    whole.free();
    engine.free();
  });

  it("R-sources: a single source is a list of one, and anything else is an error", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    const [one] = source("aaaa");
    assert.equal((await engine.rag.index(one)).indexed, 1);
    assert.equal((await engine.rag.index(new Set(source("bbbb")))).indexed, 1);
    for (const wrong of [undefined, null, 7, "body", () => {}, [7], [[one]]]) {
      await assert.rejects(engine.rag.index(wrong), { code: "option/sources" }, String(wrong));
    }
    assert.equal(textOf(engine), "bbbb");
    engine.free();
  });
});

describe("rag, many sources", () => {
  const many = (count) => Array.from({ length: count }, (_, i) => ({ sourceType: i % 2 ? "odd" : "even", sourceId: i, body: `aaaa ${i}` }));

  it("parallelBatches: runs that many calls of embed at once", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    for (const [parallelBatches, expected] of [[undefined, 1], [3, 3], [32, 5]]) {
      let [running, most] = [0, 0];
      const counted = async (texts) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        return embed(texts);
      };
      const response = await engine.rag.index(many(10), { embed: counted, batchSize: 2, parallelBatches, force: true });
      assert.deepEqual([most, response.indexed, response.qualityTier], [expected, 10, "high"]);
    }
    const found = await engine.rag.search({ query: "zz", mode: "semantic", vector: [1, 0, 0, 0], limit: 20, maxPerSource: 20 });
    assert.equal(found.count, 10, "every chunk has its own vector");
    engine.free();
  });

  it("parallelBatches: with strict, the first failure ends the call", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    let calls = 0;
    const broken = async () => { calls++; throw new Error("no net"); };
    await assert.rejects(engine.rag.index(many(20), { embed: broken, batchSize: 1, parallelBatches: 2, strict: true }), { code: "embed/failed" });
    assert.ok(calls <= 2, `${calls} calls`);
    assert.equal(engine.length, 0);
    engine.free();
  });

  it("checkpointEvery: writes so many sources at once, and an abort keeps them", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const { embed } = letters();
    const progress = [];
    const abort = new AbortController();
    const onProgress = (now) => {
      progress.push(now);
      if (now.sources === 6) abort.abort(new Error("enough"));
    };
    const options = { embed, checkpointEvery: 3, onProgress, signal: abort.signal };
    await assert.rejects(engine.rag.index(many(10), options), { message: "enough" });
    assert.deepEqual(progress, [{ sources: 3, total: 10, chunks: 3 }, { sources: 6, total: 10, chunks: 6 }]);
    assert.equal(engine.length, 6);
    const rest = await engine.rag.index(many(10), { embed, checkpointEvery: 4 });
    assert.deepEqual([rest.indexed, rest.skipped, rest.sources.length], [4, 6, 10]);
    engine.free();
  });

  it("checkpointEvery: a fault in any source is told before anything is written", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    const sources = [...many(5), { sourceType: "odd", sourceId: 9 }, many(1)[0]];
    await assert.rejects(engine.rag.index(sources, { checkpointEvery: 2 }), (error) => {
      assert.equal(error.code, "option/sources");
      assert.match(error.message, /sources\.5\.body: is required; sources\.6\.sourceId: the list has even:0 twice/);
      return true;
    });
    assert.equal(engine.length, 0);
    engine.free();
  });

  it("sourceTypes: indexes only these types of the sources", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    const response = await engine.rag.index(many(4), { sourceTypes: ["odd", "other"] });
    assert.deepEqual([response.indexed, response.skipped], [2, 2]);
    assert.deepEqual(response.sources.map(({ reason }) => reason), ["other_type", undefined, "other_type", undefined]);
    assert.equal((await engine.rag.index(many(4), { sourceTypes: "even" })).indexed, 2);
    engine.free();
  });

  it("R12: every response has warnings, degraded and elapsed, and explains in one shape", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    const indexed = await engine.rag.index(many(4));
    const found = await engine.rag.search({ query: "aaaa", explain: true, graphRerank: true });
    for (const response of [indexed, found, engine.rag.remove({ sourceType: "odd", sourceId: 1 })]) {
      assert.deepEqual([response.warnings, response.degraded, typeof response.elapsed], [[], false, "number"]);
    }
    for (const { score, explain, baseExplain, rerank } of found.results) {
      const sum = ({ parts }) => parts.reduce((sum, { product }) => sum + product, 0);
      assert.deepEqual([sum(explain), sum(baseExplain)], [score, rerank.base]);
      assert.deepEqual(Object.keys(explain), ["keyword", "vector", "parts", "factors"]);
      assert.ok(explain.keyword.bm25 < 0 && explain.vector.similarity > 0);
    }
    engine.free();
  });
});

describe("rag, steps as functions of plain results", () => {
  const cases = JSON.parse(readFileSync(new URL("../../tests/rag-primitives.json", import.meta.url), "utf8"));

  it("R2: rank scores are as written", () => {
    for (const { rank, total, is } of cases.normalizeRankScore) assert.ok(Object.is(normalizeRankScore(rank, total), is), `${rank} of ${total}`);
  });

  it("R11: modes and filters are read as written", () => {
    for (const { mode, is } of cases.getSearchMode) assert.equal(getSearchMode(mode), is);
    for (const mode of [undefined, null, 7, {}]) assert.equal(getSearchMode(mode), "hybrid");
    for (const { options, is } of cases.buildFilters) assert.deepEqual(buildFilters(options), is);
    assert.deepEqual(buildFilters(), { sourceType: null, sessionId: null, contextId: null });
  });

  it("R9: graphs are as written", () => {
    for (const { results, options, is } of cases.buildGraphPayload) assert.deepEqual(buildGraphPayload(results, options), is);
  });

  it("R10: results are reranked as written, and those that were given stay as they are", () => {
    for (const { results, graph, options, is } of cases.applyGraphRerank) {
      const before = structuredClone(results);
      const found = applyGraphRerank(results, cases.buildGraphPayload[graph].is, options);
      assert.deepEqual(results, before);
      assert.equal(found.changedRanks, is.changedRanks);
      const rows = found.results.map(({ id, score, rerank = { base: score, signal: 0 } }) => [results.findIndex((one) => one.id === id), score, rerank.base, rerank.signal]);
      assert.deepEqual(rows, is.results);
    }
  });

  it("R8: results are expanded as written", () => {
    for (const { results, window, neighbours, is, added } of cases.expandWithNeighborChunks) {
      const found = expandWithNeighborChunks(results.map(([id, score]) => ({ id, score })), window, neighbours.map((id) => ({ id, text: id })));
      assert.deepEqual(found.results.map(({ id, score, neighbor }) => (neighbor ? [id, score, neighbor.seed, neighbor.distance] : [id, score])), is);
      assert.equal(found.added, added);
    }
  });

  it("R8, R9, R10: the engine and the functions give the same bits", async () => {
    const engine = await engineWith({ own: { embedder: "hash" } });
    const texts = ["aaaa bbbb", "bbbb cccc cccc", "cccc dddd aaaa", "dddd bbbb bbbb", "aaaa cccc"];
    const all = texts.flatMap((text, i) => ["context", "action", "thought"].map((sourceType) => ({
      sourceType, sourceId: i, body: `${text} ${sourceType} `.repeat(3), contextId: (i * 2) % 5, actionId: (i + 1) % 5, parentId: (i + 2) % 5, sessionId: i % 2,
    })));
    await engine.rag.index(all, { chunkSize: 20, chunkOverlap: 0 });
    const records = (await engine.rag.search({ query: "bbbb", limit: 100, maxPerSource: 20, minScore: 0, neighborWindow: 5 })).results;
    const options = { query: "cccc aaaa", limit: 6, includeSession: true, nodeLimit: 500 };
    const seeds = await engine.rag.search(options);
    const expanded = await engine.rag.search({ ...options, neighborWindow: 2 });
    const scores = (results) => results.map(({ id, score }) => `${id} ${score}`).sort();
    assert.deepEqual(scores(expandWithNeighborChunks(seeds.results, 2, records).results), scores(expanded.results));
    const graph = buildGraphPayload(expanded.results, { records, includeSession: true, nodeLimit: 500 });
    const sorted = (list) => list.map((one) => JSON.stringify(one)).sort();
    assert.deepEqual([sorted(graph.nodes), sorted(graph.edges)], [sorted(expanded.graph.nodes), sorted(expanded.graph.edges)]);
    const reranked = await engine.rag.search({ ...options, neighborWindow: 2, graphRerank: true });
    const own = applyGraphRerank(expanded.results, expanded.graph);
    assert.deepEqual(own.results.map(({ id, score, rerank }) => [id, score, rerank]), reranked.results.map(({ id, score, rerank }) => [id, score, rerank]));
    assert.equal(own.changedRanks, reranked.rerank.changedRanks);
    engine.free();
  });
});

describe("the cache of queries' vectors", () => {
  const vector = (length = 1) => new Float32Array(length);

  it("R13: keeps 500, and lets go of what was not asked for the longest", () => {
    const cache = new EmbeddingCache();
    for (let i = 0; i < 500; i++) cache.set(`q${i}`, vector());
    assert.ok(cache.get("q0"));
    cache.set("one more", vector());
    assert.equal(cache.size, 500);
    assert.ok(cache.get("q0"), "it was asked for just now");
    assert.equal(cache.get("q1"), undefined);
  });

  it("R13: keeps them for ten minutes, however often they are asked for", ({ mock }) => {
    let now = 0;
    mock.method(Date, "now", () => now);
    const cache = new EmbeddingCache();
    cache.set("a", vector());
    now = 10 * 60 * 1000 - 1;
    assert.ok(cache.get("a"));
    now += 1;
    assert.equal(cache.get("a"), undefined);
    assert.equal(cache.size, 0);
  });

  it("R13: keeps 16 MB of them, texts included", () => {
    const cache = new EmbeddingCache();
    const megabyte = 1024 * 1024;
    for (let i = 0; i < 20; i++) cache.set(`q${i}`, vector(megabyte / 4));
    assert.equal(cache.size, 15, "sixteen would be a few letters too many");
    assert.ok(cache.get("q19"));
    cache.set("x".repeat(9 * megabyte), vector());
    assert.equal(cache.size, 0);
  });

  it("R13: a text that is set again counts once", () => {
    const cache = new EmbeddingCache();
    const half = 2 * 1024 * 1024 - 1;
    for (let i = 0; i < 5; i++) cache.set("a", vector(half));
    cache.set("b", vector(half));
    assert.deepEqual([cache.size, cache.get("a")?.length], [2, half]);
  });
});
