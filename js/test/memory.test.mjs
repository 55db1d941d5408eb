// The memory recipe as JavaScript calls it: shapes, settings, embedding and errors. tests/memory/ tests the rankings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { computeScore } from "../../pkg/node.js";
import { build, open } from "./opening.mjs";

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
  assert.deepEqual([created.id, created.embedded, created.degraded, created.warnings], ["a", true, false, []]);
  const failed = await engine.memory.create({ id: "b", content: "the sea", embed: broken });
  assert.deepEqual([failed.embedded, failed.degraded], [false, true]);
  assert.match(failed.warnings[0], /no network/);
  await engine.memory.create({ id: "c", content: "land", vector: [0.5, 1] });
  const found = await engine.memory.searchVector("sea air");
  assert.deepEqual(
    found.results.map((result) => result.memoryId),
    ["a", "c"],
  );
  const degraded = await engine.memory.search({ query: "sea", embed: broken });
  assert.deepEqual([degraded.mode, degraded.degraded], ["keyword", true]);
  assert.match(degraded.warnings[0], /no network.*only keywords were searched/);
  let asked = 0;
  await engine.memory.search({ query: "sea", mode: "keyword", embed: () => ++asked && [[1, 0]] });
  assert.equal(asked, 0);
  const wide = await engine.memory.search({ query: "sea", vector: [1, 0, 0] });
  assert.deepEqual([wide.mode, wide.skipped], ["keyword", 2]);
});

test("M4, M13: weights, boosts and decay hold for an engine, and a call changes single ones", async () => {
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

test("M9, M11: a recall reinforces and is recorded, unless track is false", async () => {
  const { engine, id } = await withMemories();
  assert.equal(await engine.memory.deemphasize(id, 0.5), 0.5);
  await engine.memory.search({ query: "react", track: false, recallSessionId: "s2", mode: "keyword" });
  assert.equal(engine.record(id, "memory").salience, 0.5);
  assert.equal((await engine.memory.sessionContext(id)).usageType, "created");
  await engine.memory.search({ query: "react", recallSessionId: "s2", mode: "keyword" });
  assert.equal(engine.record(id, "memory").salience, 0.51);
  const { elapsed, ...context } = await engine.memory.sessionContext(id);
  assert.ok(elapsed >= 0);
  assert.deepEqual(context, {
    session: { id: "s2" },
    memoriesInSession: 1,
    usageType: "recalled",
    degraded: false,
    warnings: [],
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

test("all faults of a call come in one message, with a code", async () => {
  const { engine } = await withMemories();
  await assert.rejects(engine.memory.search({ query: "a", limit: 0, mode: "fuzzy" }), {
    code: "option/limit",
    message: 'limit: must be 1 to 1000, not 0; mode: unknown mode "fuzzy"; use one of hybrid, semantic, keyword',
  });
  await assert.rejects(engine.memory.delete("nobody"), { code: "record/not-found", message: "memory not found: nobody" });
});

test("create keeps the project and session of the memory object", async () => {
  const engine = await build([], OWN);
  const { id, memory } = await engine.memory.create({ content: "Deploy with make release", projectId: "web", sessionId: "s" });
  assert.equal(memory.projectId, "web");
  const { results } = await engine.memory.search({ query: "deploy", projectId: "web" });
  assert.deepEqual([results.length, results[0].memory.id, results[0].sourceSession.id], [1, id, "s"]);
  assert.equal((await engine.memory.sessionContext(id)).session.id, "s");
});

test("the arguments projectId and sessionId of create win over the memory object", async () => {
  const engine = await build([], OWN);
  const first = await engine.memory.create({ content: "a", projectId: "web", sessionId: "s" }, "app", "t");
  assert.equal(first.memory.projectId, "app");
  assert.equal((await engine.memory.sessionContext(first.id)).session.id, "t");
  const second = await engine.memory.create({ content: "a", projectId: "web", sessionId: "s" }, undefined, "t");
  assert.equal(second.memory.projectId, "web");
  assert.equal((await engine.memory.sessionContext(second.id)).session.id, "t");
});

/** An engine of the preset `memory` with a live memory and a deleted one. */
async function withDeleted() {
  const engine = await build([], "memory");
  await engine.memory.create({ id: "live", content: "a word to remember" });
  await engine.memory.create({ id: "deleted", content: "a word to remember" });
  await engine.memory.delete("deleted");
  return engine;
}

const idsOf = (list) => list.map(({ id }) => id).sort();

test("search, searchSync and match do not return deleted memories", async () => {
  for (const engine of [await withDeleted(), await open((await withDeleted()).snapshot())]) {
    assert.deepEqual(idsOf((await engine.search("word")).hits), ["live"]);
    assert.deepEqual(idsOf(engine.searchSync("word").hits), ["live"]);
    assert.deepEqual(idsOf(engine.match("word")), ["live"]);
    assert.deepEqual(idsOf(engine.match("word", { filter: { tier: "project" } })), ["live"]);
  }
});

test("a filter on isDeleted still finds deleted memories", async () => {
  const engine = await withDeleted();
  const filter = { isDeleted: true };
  assert.deepEqual(idsOf((await engine.search("word", { filter })).hits), ["deleted"]);
  assert.deepEqual(idsOf(engine.searchSync("word", { filter }).hits), ["deleted"]);
  assert.deepEqual(idsOf(engine.match("word", { filter })), ["deleted"]);
});

test("M1, M2, M12: the searches take an object of options in place of a project", async () => {
  const { engine, id } = await withMemories();
  await engine.memory.update(id, { validUntil: 1, content: "React & TypeScript" });
  assert.deepEqual((await engine.memory.searchFts("react", "p")).results, []);
  const [old] = (await engine.memory.searchFts("react", { projectId: "p", includeSuperseded: true, limit: 1, raw: true })).results;
  assert.deepEqual([old.memoryId, old.snippet], [id, "<mark>React</mark> & TypeScript"]);
  const [html] = (await engine.memory.searchFts("react", { includeSuperseded: true })).results;
  assert.equal(html.snippet, "<mark>React</mark> &amp; TypeScript");
  const near = await engine.memory.searchVector("react", { includeSuperseded: true, model: "own", strict: true });
  assert.equal(near.results[0].memoryId, id);
  engine.add([{ id: "guide", content: "React for beginners", projectId: "p" }]);
  const documents = await engine.memory.searchDocuments("react", { projectId: "p", limit: 3, mode: "keyword", explain: false });
  assert.deepEqual(documents.results.map(({ documentId, explain }) => [documentId, explain]), [["guide", undefined]]);
  await assert.rejects(engine.memory.searchFts("react", { track: false }), { code: "option/unknown" });
  await assert.rejects(engine.memory.searchFts("react", null), { code: "option/projectId" });
});

test("M4: computeScore gives the bits of a search", async () => {
  const { engine } = await withMemories();
  const now = Date.now() + 3 * DAY;
  const weights = { keyword: 0.5, sectorBoost: { reflective: 0.7 } };
  const { results } = await engine.memory.search({ query: "react deploy", now, weights, track: false });
  assert.equal(results.length, 2);
  for (const { memory, score, explain } of results) {
    assert.equal(computeScore(memory, explain.vector?.similarity ?? 0, explain.keyword?.bm25 ?? 0, weights, now), score);
  }
});

test("get returns a memory as it is now, or undefined", async () => {
  const { engine, id } = await withMemories();
  assert.deepEqual(await engine.memory.get(id), engine.record(id, "memory"));
  assert.equal(await engine.memory.get("nobody"), undefined);
  await engine.memory.delete(id);
  assert.equal((await engine.memory.get(id)).isDeleted, true);
  engine.memory.configure({ decay: true });
  const later = await engine.memory.get(id, { now: Date.now() + 75 * DAY });
  assert.ok(later.salience < 0.5, `${later.salience}`);
});

test("update changes fields, removes those that are null, and records the session", async () => {
  const { engine, id } = await withMemories();
  const before = await engine.memory.get(id);
  const updated = await engine.memory.update(
    id,
    { content: "Vue with TypeScript", summary: "stack", tags: ["ui"], importance: 0.9, projectId: null },
    { sessionId: "s9" },
  );
  assert.deepEqual([updated.id, updated.degraded, updated.warnings, updated.embedded], [id, false, [], true]);
  assert.ok(updated.elapsed >= 0);
  const { content, summary, tags, importance, projectId, createdAt, updatedAt } = await engine.memory.get(id);
  assert.deepEqual([content, summary, tags, importance], ["Vue with TypeScript", "stack", ["ui"], 0.9]);
  assert.deepEqual([projectId, createdAt, updatedAt >= before.updatedAt], [undefined, before.createdAt, true]);
  assert.deepEqual((await engine.memory.searchFts("react")).results, []);
  assert.equal((await engine.memory.searchFts("vue")).results[0].memoryId, id);
  const context = await engine.memory.sessionContext(id);
  assert.deepEqual([context.session.id, context.usageType], ["s9", "updated"]);
  await assert.rejects(engine.memory.update(id, { content: null, colour: "red" }), { code: "option/content", message: /colour/ });
  await assert.rejects(engine.memory.update("nobody", { content: "x" }), { code: "record/not-found" });
  for (const fields of [undefined, null, "x", ["x"]]) {
    await assert.rejects(engine.memory.update(id, fields), { code: "option/fields" });
  }
  await assert.rejects(engine.memory.update(id, { id: "other" }), { code: "option/id" });
});

test("update embeds a changed text again, and no other", async () => {
  const asked = [];
  const embed = async (texts) => texts.map((text) => (asked.push(text), text.includes("sea") ? [1, 0] : [0, 1]));
  const engine = await open((await build([], GIVEN)).snapshot(), { embed });
  await engine.memory.create({ id: "a", content: "land", summary: "dry" });
  await engine.memory.update("a", { importance: 1, content: "land" });
  assert.deepEqual(asked, ["land\ndry"]);
  const similarity = async () => (await engine.memory.searchVector("q", { vector: [1, 0] })).results[0]?.similarity;
  assert.equal(await similarity(), 0);
  const updated = await engine.memory.update("a", { content: "the sea" });
  assert.deepEqual([asked.at(-1), updated.embedded, await similarity()], ["the sea\ndry", true, 1]);
  await engine.memory.update("a", { summary: null });
  assert.equal(asked.at(-1), "the sea");
  const broken = () => [[NaN, 0]];
  const failed = await engine.memory.update("a", { content: "a desert" }, { embed: broken });
  assert.deepEqual([failed.embedded, failed.degraded, await similarity()], [false, true, undefined]);
  assert.match(failed.warnings[0], /not finite/);
  await engine.memory.update("a", { content: "a lake" }, { vector: [0.6, 0.8] });
  assert.ok(Math.abs((await similarity()) - 0.6) < 1e-6);
});

test("of two updates the later call wins, even where its embedder is quicker", async () => {
  let release;
  const slow = new Promise((resolve) => (release = resolve));
  const embed = async (texts) => {
    if (texts[0] === "first") await slow;
    return texts.map(() => [1, 0]);
  };
  const engine = await open((await build([], GIVEN)).snapshot(), { embed });
  await engine.memory.create({ id: "a", content: "old" });
  const updates = [engine.memory.update("a", { content: "first" }), engine.memory.update("a", { content: "second" })];
  release();
  await Promise.all(updates);
  assert.equal((await engine.memory.get("a")).content, "second");
});

test("strict searches reject with embed/failed where no vector can be used", async () => {
  const engine = await build([{ id: "a", kind: "memory", content: "the sea", vector: [1, 0] }], GIVEN);
  const unusable = {
    throws: () => {
      throw new Error("no network");
    },
    zeros: () => [[0, 0]],
    wide: () => [[1, 0, 0]],
    none: () => [],
    words: () => ["x"],
  };
  for (const [name, embed] of Object.entries(unusable)) {
    for (const search of [
      (options) => engine.memory.search({ query: "sea", ...options }),
      (options) => engine.memory.searchVector("sea", options),
      (options) => engine.memory.searchDocuments("sea", options),
    ]) {
      await assert.rejects(search({ embed, strict: true }), { code: "embed/failed" }, name);
      const response = await search({ embed });
      assert.equal(response.degraded, true, name);
      assert.match(response.warnings[0], /^embed: /, name);
    }
  }
  await assert.rejects(engine.memory.search({ query: "sea", strict: true }), { code: "embed/failed" });
});

test("every asynchronous call takes a signal", async () => {
  const { engine, id } = await withMemories();
  const signal = AbortSignal.abort(new Error("enough"));
  const { memory } = engine;
  for (const call of [
    () => memory.search({ query: "react", signal }),
    () => memory.searchDocuments("react", { signal }),
    () => memory.searchFts("react", { signal }),
    () => memory.searchVector("react", { signal }),
    () => memory.get(id, { signal }),
    () => memory.timeline(id, 1, 1, { signal }),
    () => memory.sessionContext(id, { signal }),
    () => memory.create({ content: "x" }, undefined, undefined, { signal }),
    () => memory.update(id, { content: "x" }, { signal }),
    () => memory.supersede(id, "b", { signal }),
    () => memory.relate(id, id, "SELF", { signal }),
    () => memory.reinforce(id, 0.5, { signal }),
    () => memory.deemphasize(id, undefined, { signal }),
    () => memory.linkToSession(id, "s1", "updated", { signal }),
    () => memory.delete(id, { signal }),
    () => memory.session({ id: "s1" }, { signal }),
  ]) {
    await assert.rejects(call(), { message: "enough" }, String(call));
  }
  assert.equal((await memory.get(id)).content, "React with TypeScript");
  await assert.rejects(memory.get(id, { signal: "now" }), { code: "option/signal" });
  await assert.rejects(memory.timeline(id, 1, 1, 5), { code: "option/invalid" });
});

test("settings are checked as options are", async () => {
  const { engine } = await withMemories();
  const wrong = { decay: "yes", weights: { recency: NaN, speed: 1 } };
  const expected = { code: "option/weights", message: /weights\.recency: must be a number, not NaN.*decay: must be true or false/ };
  assert.throws(() => engine.memory.configure(wrong), expected);
  await assert.rejects(open(engine.snapshot(), { memory: wrong }), { ...expected, code: "option/memory" });
  await assert.rejects(engine.memory.search({ query: "react", decay: true }), { code: "option/unknown" });
});
