import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { build } from "../../pkg/node.js";
import { EmbeddingCache } from "../../target/js/embedding-cache.js";

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
    assert.deepEqual(engine.rag.remove({ sourceType: "context", sourceId: 1 }), { success: true, removed: 1 });
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
    await assert.rejects(engine.rag.search(strict), { code: "option/strict" });
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
    await assert.rejects(engine.rag.search({ query: "a", lmiit: 1 }), { code: "option/lmiit" });
    await assert.rejects(engine.rag.index([{ sourceType: "a", sourceId: 1 }]), { code: "option/sources" });
    await assert.rejects(engine.rag.index([], { batchSize: 0 }), { code: "option/batchSize" });
    engine.free();
  });

  it("R13: a query is embedded once, by each function", async () => {
    const engine = await engineWith({ m: { encoding: "f32" } });
    const [one, two] = [letters(), letters()];
    await engine.rag.index(sources, { embed: one.embed });
    one.asked.length = 0;
    for (const query of ["aa", "bb", "aa", "aa"]) await engine.rag.search({ query, embed: one.embed });
    assert.deepEqual(one.asked, [["aa"], ["bb"]]);
    await engine.rag.search({ query: "aa", embed: two.embed });
    assert.deepEqual(two.asked, [["aa"]]);
    await engine.rag.search({ query: "cc", mode: "fts", embed: one.embed });
    assert.equal(one.asked.length, 2, "words need no vector");
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
