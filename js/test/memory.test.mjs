// The memory recipe as JavaScript calls it: shapes, settings, embedding and errors. What it finds is tested in Rust.

import assert from "node:assert/strict";
import { test } from "node:test";
import { build, open } from "../../pkg/node.js";

const SCHEMA = {
  fields: { content: {}, summary: {} },
  attributes: {
    projectId: "keyword",
    sector: "keyword",
    tier: "keyword",
    salience: "number",
    importance: "number",
    createdAt: "time",
    lastAccessed: "time",
    validUntil: "time",
    isDeleted: "bool",
    parentId: "keyword",
  },
};
const OWN = { ...SCHEMA, vectors: { own: { embedder: "hash" } } };
const GIVEN = { ...SCHEMA, vectors: { plane: { field: "vector", encoding: "f32", width: 2 } } };
const DAY = 86_400_000;

async function withMemories(schema = OWN) {
  const engine = await build([], schema);
  await engine.memory.session({ id: "s1", projectId: "p", summary: "kickoff", startedAt: new Date(5) });
  const { id } = await engine.memory.create({ content: "React with TypeScript", sector: "reflective" }, "p", "s1");
  await engine.memory.create({ content: "Deploy by make release", tags: ["deploy"] }, "p");
  return { engine, id };
}

test("M7: a search gives results with their memory, session and explanation", async () => {
  const { engine, id } = await withMemories();
  const response = await engine.memory.search({ query: "react", projectId: "p" });
  assert.deepEqual([response.mode, response.degraded, response.skipped, response.model], ["hybrid", false, 0, "own"]);
  const [first] = response.results;
  assert.equal(first.type, "memory");
  assert.equal(first.memory.id, id);
  assert.equal(first.matchType, "both");
  assert.deepEqual(first.highlights, ["<mark>React</mark> with TypeScript"]);
  assert.deepEqual(first.sourceSession, { id: "s1", startedAt: 5, summary: "kickoff", projectId: "p" });
  assert.deepEqual([first.isSuperseded, first.supersededBy, first.relatedMemoryCount], [false, undefined, 0]);
  assert.deepEqual(
    first.explain.parts.map((part) => part.name),
    ["semantic", "keyword", "salience", "recency"],
  );
});

test("M1, M2: the legs by themselves", async () => {
  const { engine, id } = await withMemories();
  const words = await engine.memory.searchFts("typesc", "p", 1);
  assert.deepEqual(Object.keys(words.results[0]), ["memoryId", "rank", "snippet"]);
  assert.equal(words.results[0].memoryId, id);
  const vectors = await engine.memory.searchVector("typescript", "p");
  const [nearest] = vectors.results;
  assert.equal(nearest.memoryId, id);
  assert.equal(nearest.distance, 1 - nearest.similarity);
});

test("M2: an embed function makes vectors of queries and memories, and its failure degrades", async () => {
  const embed = async (texts) => texts.map((text) => (text.includes("sea") ? [1, 0] : [0, 1]));
  const broken = async () => {
    throw new Error("no network");
  };
  const built = await build([], GIVEN);
  const engine = await open(built.snapshot(), { embed });
  const created = await engine.memory.create({ id: "a", content: "the sea" });
  assert.deepEqual([created.id, created.embedded, created.warnings], ["a", true, undefined]);
  const failed = await engine.memory.create({ id: "b", content: "the sea", embed: broken });
  assert.equal(failed.embedded, false);
  assert.match(failed.warnings[0], /no network/);
  await engine.memory.create({ id: "c", content: "land", vector: [0.5, 1] });
  const found = await engine.memory.searchVector("sea air");
  assert.deepEqual(
    found.results.map((result) => result.memoryId),
    ["a", "c"],
  );
  const degraded = await engine.memory.search({ query: "sea", embed: broken });
  assert.deepEqual([degraded.mode, degraded.degraded], ["keyword", true]);
  assert.match(degraded.warnings[0], /no network.*only words were looked for/);
  let asked = 0;
  await engine.memory.search({ query: "sea", mode: "keyword", embed: () => ++asked && [[1, 0]] });
  assert.equal(asked, 0);
  const wide = await engine.memory.search({ query: "sea", vector: [1, 0, 0] });
  assert.deepEqual([wide.mode, wide.skipped], ["keyword", 2]);
});

test("M4, M13: weights, boosts and decay hold for an engine, and a call's go before", async () => {
  const { engine: built, id } = await withMemories();
  const weights = { semantic: 0, keyword: 0, salience: 1, recency: 0, sectorBoost: { reflective: 0.5 } };
  const engine = await open(built.snapshot(), { memory: { weights, decay: true } });
  const search = async (more) => (await engine.memory.search({ query: "react", mode: "keyword", track: false, ...more })).results[0];
  const now = engine.record(id, "memory").createdAt;
  assert.equal((await search({ now })).score, 0.5);
  assert.equal((await search({ now, weights: { sectorBoost: { semantic: 2 } } })).score, 0.5);
  assert.equal((await search({ now, weights: { sectorBoost: { reflective: 0.25 } } })).score, 0.25);
  const faded = (await search({ now: now + 75 * DAY })).memory.salience;
  assert.ok(Math.abs(faded - Math.exp((-0.008 / 0.6) * 75)) < 1e-12, `${faded}`);
  engine.memory.configure({});
  assert.equal((await search({ now: now + 75 * DAY })).memory.salience, 1);
});

test("M9, M11: a recall is reinforced and noted, unless it is not tracked", async () => {
  const { engine, id } = await withMemories();
  assert.equal(await engine.memory.deemphasize(id, 0.5), 0.5);
  await engine.memory.search({ query: "react", track: false, recallSessionId: "s2", mode: "keyword" });
  assert.equal(engine.record(id, "memory").salience, 0.5);
  assert.equal((await engine.memory.sessionContext(id)).usageType, "created");
  await engine.memory.search({ query: "react", recallSessionId: "s2", mode: "keyword" });
  assert.equal(engine.record(id, "memory").salience, 0.51);
  assert.deepEqual(await engine.memory.sessionContext(id), {
    session: { id: "s2" },
    memoriesInSession: 1,
    usageType: "recalled",
  });
  await engine.memory.linkToSession(id, "s3", "updated");
  assert.equal((await engine.memory.sessionContext(id)).session.id, "s3");
  assert.equal(await engine.memory.sessionContext("nobody"), null);
  assert.equal(await engine.memory.reinforce(id, 1), 1);
});

test("M10: a timeline has its sessions in a map", async () => {
  const { engine, id } = await withMemories();
  const timeline = await engine.memory.timeline(id, 2, 2);
  assert.equal(timeline.anchor.id, id);
  assert.deepEqual([timeline.before.length, timeline.after.length], [0, 1]);
  assert.ok(timeline.sessions instanceof Map);
  assert.equal(timeline.sessions.get("s1").summary, "kickoff");
  await assert.rejects(engine.memory.timeline("nobody"), {
    code: "record/not-found",
    message: "anchor memory not found: nobody",
  });
});

test("M8, M12: supersession, relationships, documents and deletion", async () => {
  const { engine, id } = await withMemories();
  const next = await engine.memory.create({ content: "React with Flow" }, "p");
  await engine.memory.supersede(id, next.id);
  await engine.memory.relate(id, next.id, "REPLACED", { validUntil: new Date(0) });
  const found = await engine.memory.search({ query: "react", includeSuperseded: true, mode: "keyword" });
  const old = found.results.find((result) => result.memory.id === id);
  assert.equal(old.isSuperseded, true);
  assert.deepEqual([old.supersededBy.id, old.supersededBy.content], [next.id, "React with Flow"]);
  assert.equal(old.relatedMemoryCount, 1);
  engine.add([{ id: "guide#1", content: "React for beginners", parentId: "guide", chunkIndex: 1, charOffset: 40, projectId: "p" }]);
  const documents = await engine.memory.searchDocuments("react", "p", 3);
  assert.deepEqual(
    documents.results.map((result) => [result.documentId, result.chunk.index, result.chunk.start, result.chunk.end]),
    [["guide", 1, 40, 59]],
  );
  const merged = await engine.memory.search({ query: "react", includeDocuments: true, mode: "keyword" });
  assert.deepEqual(new Set(merged.results.map((result) => result.type)), new Set(["memory", "document"]));
  await engine.memory.delete(next.id);
  assert.deepEqual((await engine.memory.searchFts("flow")).results, []);
});

test("what cannot be used is told together, with a code", async () => {
  const { engine } = await withMemories();
  await assert.rejects(engine.memory.search({ query: "a", limit: 0, mode: "fuzzy" }), {
    code: "option/limit",
    message: 'limit: must be 1 to 1000, not 0; mode: unknown mode "fuzzy"; there are hybrid, semantic, keyword',
  });
  await assert.rejects(engine.memory.delete("nobody"), { code: "record/not-found", message: "memory not found: nobody" });
});
