import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { federation } from "../../pkg/node.js";
import { connect } from "../../pkg/worker-node.js";
import { keepsAll, merge, withinBudget } from "../../target/js/federation.js";
import { build, open } from "./opening.mjs";

const NOW = Date.UTC(2026, 1, 1);
const schema = {
  fields: { id: {}, title: {}, description: {}, context: {}, tags: {} },
  attributes: { type: "keyword", domain: "keyword", severity: "keyword", tags: "keywords", updatedAt: "time", validUntil: "time" },
};
const entry = (id, title, more = {}) => ({ id, kind: "entry", title, updatedAt: NOW, ...more });
const vaultOf = (...entries) => build(entries, schema);
const places = ({ results }) => results.map(({ id, tier }) => [id, tier]);

describe("engine.vault", () => {
  it("v11 scans, and loads what is worth reading", async () => {
    const engine = await vaultOf(
      entry("jwt-1", "JWT validation", { type: "rule", domain: "web", severity: "critical", tags: ["auth"], description: "d".repeat(121) }),
      entry("old", "JWT notes", { validUntil: NOW - 1 }),
      { id: "m", kind: "memory", title: "a note of JWT" },
    );
    const scan = await engine.vault.search("how does JWT validation work", { mode: "scan", now: NOW, filter: {}, domain: "web" });
    assert.equal(scan.expression, "how OR does OR jwt OR validation OR work");
    assert.deepEqual(scan.results.map(({ id, kind }) => [id, kind]), [["jwt-1", "entry"], ["m", "memory"]]);
    const { score, ...first } = scan.results[0];
    assert.deepEqual(first, {
      id: "jwt-1",
      kind: "entry",
      tokenEstimate: Math.ceil((14 + 121) / 4),
      title: "JWT validation",
      type: "rule",
      domain: "web",
      severity: "critical",
      tags: ["auth"],
      snippet: `${"d".repeat(120)}...`,
    });
    const full = await engine.vault.search("JWT validation", { now: NOW, domain: "web" });
    const { breakdown, entry: whole } = full.results[0];
    const sum = Object.entries(full.weights).reduce((sum, [name, weight]) => sum + weight * breakdown[name], 0);
    assert.equal(full.results[0].score, sum);
    assert.equal(breakdown.total, sum);
    assert.equal(whole.title, "JWT validation");
    assert.deepEqual(engine.vault.load(["m", "none", "jwt-1"]).entries.map(({ id }) => id), ["m", "jwt-1"]);
    const { elapsed, ...none } = engine.vault.load("none");
    assert.deepEqual(none, { entries: [], missing: ["none"], degraded: false, warnings: [] });
    assert.ok(elapsed >= 0 && full.elapsed > 0);
    assert.deepEqual([full.warnings, full.degraded], [[], false]);
    engine.free();
  });

  it("v9 learns from feedback", async () => {
    const engine = await vaultOf(entry("a", "jwt"));
    assert.equal(engine.vault.weights().accept, null);
    for (let row = 0; row < 30; row++) engine.vault.feedback({ query: "jwt", entryId: "a", action: "accepted", createdAt: new Date(row) });
    const { base, current, n, accept } = engine.vault.weights();
    assert.deepEqual([n, accept, base.semantic, current.semantic], [30, 1, 0.35, 0.5]);
    assert.throws(() => engine.vault.feedback({ query: "jwt", entryId: "a", action: "liked" }), /action: unknown action "liked"/);
    engine.free();
  });

  it("v14 goes on with words alone where embedding fails, and says so", async () => {
    const records = [{ ...entry("a", "jwt"), v: [1, 0] }, { ...entry("b", "other"), v: [0, 1] }];
    const engine = await build(records, { ...schema, vectors: { m: { field: "v", width: 2 } } });
    const near = await engine.vault.search("jwt", { embed: async () => [[1, 0]] });
    assert.deepEqual([near.degraded, near.weights.vector, near.results.length], [false, 0.15, 2]);
    const without = await engine.vault.search("jwt again", { embed: async () => { throw new Error("no key"); } });
    assert.deepEqual([without.degraded, without.weights.vector, without.results.length], [true, 0, 1]);
    assert.match(without.warnings[0], /no key/);
    await assert.rejects(engine.vault.search("jwt again", { strict: true, embed: () => [[0, 0]] }), { code: "embed/failed" });
    await assert.rejects(engine.vault.search("jwt", { signal: AbortSignal.abort(new Error("no more")) }), /no more/);
    engine.free();
  });

  it("tells all that is wrong with options", async () => {
    const engine = await vaultOf(entry("a", "jwt"));
    const rejects = (promise, code, message) => assert.rejects(promise, { code, message });
    await rejects(engine.vault.search("jwt", { limit: 0, mode: "deep" }), "option/mode", /mode: unknown mode "deep".*limit: must be 1 to 1000/);
    await rejects(engine.vault.search(undefined, { now: new Date(NaN) }), "option/query", /query: is required; now: .*not an invalid date/);
    await rejects(engine.vault.search({}), "option/query", /query: must be a string, not an object/);
    await rejects(engine.vault.search("jwt", { all: true }), "option/unknown", /all: unknown option; the options are asOf, /);
    await rejects(engine.vault.search("jwt", 7), "option/invalid", /must be an object, not a number/);
    await rejects(engine.vault.search("jwt", { filter: () => true, embed: 7, signal: 7 }), "option/embed", /embed: .*signal: .*filter: /);
    await rejects(engine.vault.search("jwt", { vector: [1, 0] }), "option/vector", /no vectors/);
    engine.free();
  });
});

describe("vault writes", () => {
  const withModel = { ...schema, vectors: { m: { width: 2, encoding: "f32", text: ["title", "description", "context"] } } };
  /** Points up for a text with "up" in it, and to the right otherwise. */
  const embedder = () => {
    const calls = [];
    const embed = async (texts) => {
      calls.push(...texts);
      return texts.map((text) => (text.includes("up") ? [0, 1] : [1, 0]));
    };
    return { calls, embed };
  };
  const similarity = async (engine, id, vector) => {
    const { results } = await engine.vault.search("jwt", { vector, now: NOW });
    return results.find((result) => result.id === id).breakdown.vector;
  };

  it("a2 keeps the vector of an entry whose text did not change", async () => {
    const provided = { ...schema, vectors: { m: { field: "v", width: 2, text: ["title", "description", "context"] } } };
    const same = entry("a", "jwt", { severity: "warning" });
    const engine = await build([{ ...same, v: [1, 0] }], provided);
    assert.ok(await similarity(engine, "a", [1, 0]) > 0.99);
    assert.deepEqual(engine.add([{ ...same, severity: "critical" }]).warnings, []);
    assert.ok(await similarity(engine, "a", [1, 0]) > 0.99);
    const { warnings } = engine.add([{ ...same, title: "jwt changed" }]);
    assert.match(warnings[0], /no vector of "m" any more/);
    assert.equal(await similarity(engine, "a", [1, 0]), 0);
    // A line gives a vector to an entry that is there, and to one that comes with it.
    engine.add([{ $: "vector", id: "a", kind: "entry", vector: new Float32Array([1, 0]) }]);
    engine.add([entry("b", "jwt b"), { $: "vector", id: "b", kind: "entry", model: "m", vector: [0, 1] }]);
    assert.ok(await similarity(engine, "a", [1, 0]) > 0.99);
    assert.ok(await similarity(engine, "b", [0, 1]) > 0.99);
    engine.free();
  });

  it("v14 add embeds new and changed texts, and nothing else", async () => {
    const { calls, embed } = embedder();
    const built = await build([], withModel);
    const engine = await open(built.snapshot(), { embed });
    built.free();
    const added = await engine.vault.add([entry("a", "jwt up", { description: "more" }), entry("b", "jwt")]);
    const { elapsed, ...counts } = added;
    assert.ok(elapsed >= 0);
    assert.deepEqual(counts, { ids: ["a", "b"], added: 2, replaced: 0, embedded: 2, degraded: false, warnings: [] });
    assert.deepEqual(calls, ["jwt", "jwt up\nmore"]);
    assert.equal(await similarity(engine, "a", [0, 1]), 1);
    await engine.vault.add(entry("a", "jwt up", { description: "more", severity: "critical" }));
    await engine.vault.update("b", { severity: "warning", domain: null });
    assert.equal(calls.length, 2, "their texts are the same");
    const { entry: updated, embedded } = await engine.vault.update("b", { title: "jwt up" });
    assert.deepEqual([updated.title, updated.severity, embedded, calls.length], ["jwt up", "warning", 1, 3]);
    assert.ok(updated.updatedAt > NOW && updated.createdAt > NOW);
    assert.equal(await similarity(engine, "b", [0, 1]), 1);
    engine.free();
  });

  it("v14 add and update say which entries have no vector", async () => {
    const engine = await build([], withModel);
    const bad = { throws: () => { throw new Error("no key"); }, zeros: () => [[0, 0]], width: () => [[1]], count: () => [] };
    for (const [id, embed] of Object.entries(bad)) {
      const { degraded, warnings, added } = await engine.vault.add(entry(id, `jwt ${id}`), { embed });
      assert.deepEqual([degraded, added], [true, 1], id);
      assert.match(warnings[0], /^1 entry has no vector of "m": embed: /);
      await assert.rejects(engine.vault.update(id, { title: "jwt else" }, { embed, strict: true }), { code: "embed/failed" });
      assert.equal(engine.record(id, "entry").title, `jwt ${id}`, "nothing is written");
    }
    const without = await engine.vault.add(entry("none", "jwt"));
    assert.match(without.warnings[0], /nothing embeds its text/);
    await engine.vault.update("none", { why: "so" }, { vector: [0, 1] });
    assert.equal(await similarity(engine, "none", [0, 1]), 1);
    engine.free();
  });

  it("writes take effect in the order of their calls, however long embedding takes", async () => {
    const engine = await build([], withModel);
    const slow = async (texts) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return texts.map(() => [1, 0]);
    };
    const quick = (texts) => texts.map(() => [0, 1]);
    await Promise.all([
      engine.vault.add(entry("a", "jwt v1"), { embed: slow }),
      engine.vault.add(entry("a", "jwt v2"), { embed: quick }),
      engine.vault.update("a", { severity: "critical" }, { embed: quick }),
      engine.vault.add(entry("b", "jwt"), { embed: slow }),
      engine.vault.remove("b"),
    ]);
    const { title, severity } = engine.record("a", "entry");
    assert.deepEqual([title, severity, engine.length], ["jwt v2", "critical", 1]);
    assert.equal(await similarity(engine, "a", [0, 1]), 1);
    // A text that another write changed meanwhile is embedded again.
    const texts = [];
    const noting = async (batch) => {
      texts.push(...batch);
      if (texts.length === 1) engine.add([entry("a", "jwt v2", { description: "from elsewhere" })]);
      return batch.map(() => [1, 0]);
    };
    await engine.vault.update("a", { title: "jwt v3" }, { embed: noting });
    assert.deepEqual(texts, ["jwt v3", "jwt v3\nfrom elsewhere"]);
    assert.equal(await similarity(engine, "a", [1, 0]), 1);
    engine.free();
  });

  it("a signal ends a write that waits for its embedding", async () => {
    const engine = await build([], withModel);
    const controller = new AbortController();
    const pending = engine.vault.add(entry("a", "jwt"), { embed: () => new Promise(() => {}), signal: controller.signal });
    const next = engine.vault.add(entry("b", "jwt"), { vector: [1, 0] });
    controller.abort(new Error("no more"));
    await assert.rejects(pending, /no more/);
    assert.equal((await next).added, 1);
    assert.equal(engine.length, 1);
    await assert.rejects(engine.vault.link("a", "b", { signal: controller.signal }), /no more/);
    engine.free();
  });

  it("links join what they lead to, also after changes and snapshots, until they end", async () => {
    const entries = [entry("a", "jwt"), entry("b", "other")];
    const engine = await vaultOf(...entries);
    const copy = await vaultOf(...entries);
    const found = async (engine) => (await engine.vault.search("jwt", { now: Date.now() + 1 })).results.map(({ id }) => id);
    const linked = await engine.vault.link("a", "b", { relation: "cites", weight: 2 });
    assert.deepEqual([linked.relation, linked.weight, linked.validUntil, linked.warnings], ["cites", 2, undefined, []]);
    copy.apply(engine.changes());
    assert.deepEqual([await found(engine), await found(copy)], [["a", "b"], ["a", "b"]]);
    assert.equal((await engine.vault.unlink("a", "b", { relation: "other" })).warnings.length, 1);
    assert.equal((await engine.vault.unlink("a", "b")).unlinked, 1);
    copy.apply(engine.changes());
    const again = await open(engine.snapshot());
    for (const one of [engine, copy, again]) assert.deepEqual(await found(one), ["a"]);
    const ended = await engine.vault.link("a", "b", { validUntil: new Date(NOW) });
    assert.equal(ended.validUntil, NOW);
    assert.deepEqual(await found(engine), ["a"]);
    await assert.rejects(engine.vault.link("a", "zz"), { code: "record/not-found" });
    await assert.rejects(engine.vault.update("zz", {}), { code: "record/not-found" });
    const { removed, missing, warnings } = await engine.vault.remove(["b", 7]);
    assert.deepEqual([removed, missing, warnings], [1, ["7"], ['there is no entry "7" to remove']]);
    for (const one of [engine, copy, again]) one.free();
  });

  it("reports all faults of a write in one message", async () => {
    const engine = await vaultOf(entry("a", "jwt"));
    const rejects = (promise, code, message) => assert.rejects(promise, { code, message });
    await rejects(engine.vault.add(), "option/entries", /entries: is required/);
    await rejects(engine.vault.add(null), "option/entries", /entries: must not be null/);
    await rejects(engine.vault.add([{ title: 1 }, "x"], { strict: 1 }), "option/entries", /entry 0: .*entry 1: .*strict: must be true or false/);
    await rejects(engine.vault.add({ id: "x", v: NaN }), "option/entries", /entries.v: must not be NaN/);
    await rejects(engine.vault.update("a", { id: "b" }, { embed: 1 }), "option/fields", /fields: the id of an entry cannot change; embed: must be a function/);
    await rejects(engine.vault.update("a"), "option/fields", /fields: is required/);
    await rejects(engine.vault.remove(null), "option/ids", /ids: must not be null/);
    await rejects(engine.vault.link("a", "a", { weight: Infinity }), "option/to", /to: an entry cannot be linked with itself; weight: must be finite/);
    await rejects(engine.vault.unlink("a", "b", { validUntil: 1 }), "option/unknown", /validUntil: unknown option; the options are from, now, relation, signal, to/);
    await rejects(engine.vault.link("a", "b", 7), "option/invalid", /must be an object/);
    engine.free();
  });

  it("reads the documents that it needs from other files", async () => {
    const whole = await build([entry("a", "jwt", { why: "so" })], withModel);
    await whole.vault.update("a", {}, { vector: [0, 1] });
    const { snapshot, docs } = whole.splitSnapshot();
    const engine = await open(snapshot, { docs: docs.map((bytes) => new Blob([bytes])) });
    const { entry: updated, degraded } = await engine.vault.update("a", { severity: "critical" });
    assert.deepEqual([updated.why, updated.severity, degraded], ["so", "critical", false]);
    assert.equal(await similarity(engine, "a", [0, 1]), 1);
    whole.free();
    engine.free();
  });
});

describe("federation", () => {
  it("v13 merges as the Rust side does, case by case", async () => {
    const cases = JSON.parse(await readFile(new URL("../../tests/federation.json", import.meta.url), "utf8"));
    for (const { name, tiers, merged } of cases.merge) {
      const given = tiers.map(({ weight, results }) => ({ weight, results: results.map(([id, kind, score]) => ({ id, kind, score })) }));
      assert.deepEqual(merge(given).map(({ tier, place, score }) => [tier, place, score]), merged, name);
    }
    for (const [candidates, limit, all] of cases.keepsAll) assert.equal(keepsAll(candidates, limit), all);
    for (const { costs, most, kept } of cases.withinBudget) assert.equal(withinBudget(costs, most), kept);
  });

  it("v13 asks several vaults as one", async () => {
    const agent = await vaultOf(entry("own", "jwt"), entry("shared", "jwt among other words"));
    const team = await vaultOf(entry("shared", "jwt"), entry("there", "jwt"), { id: "m", kind: "memory", title: "jwt" });
    const all = federation([{ name: "team", engine: team }, { name: "agent", engine: agent }]);
    let embedded = 0;
    const options = { now: NOW, explain: true, embed: () => (embedded++, [[1]]) };
    const response = await all.search("jwt", options);
    assert.equal(embedded, 0, "neither tier has vectors");
    assert.deepEqual([response.warnings, response.degraded], [[], false]);
    assert.ok(response.elapsed > 0);
    assert.deepEqual(response.tiers, [
      { name: "agent", weight: 1, candidates: 2 },
      { name: "team", weight: 0.6, candidates: 2 },
    ]);
    assert.equal(response.candidates, 3);
    assert.deepEqual(places(response).sort(), [["m", "team"], ["own", "agent"], ["shared", "agent"], ["there", "team"]]);
    for (const { score, explain } of response.results) {
      const sum = explain.parts.reduce((sum, { product }) => sum + product, 0);
      assert.equal(score, explain.factors.reduce((score, { value }) => score * value, sum));
    }
    const { entries, missing } = await all.load(["there", "shared", "none", "there"]);
    assert.deepEqual(entries.map(({ title }) => title), ["jwt", "jwt among other words", "jwt"]);
    assert.deepEqual(missing, ["none"]);
    assert.equal((await all.search("jwt", { now: NOW, maxTokens: 2 })).results.length, 2);
    assert.equal((await all.search("jwt", { now: NOW, limit: 2 })).results.length, 2);
    assert.equal((await all.feedback({ query: "jwt", entryId: "there", action: "accepted" })).n, 1);
    const { agent: first, team: second } = await all.weights();
    assert.deepEqual([first.n, second.n], [0, 1]);
    const { results: pinned } = await all.search("jwt", { now: NOW, limit: 2, pinned: ["there", "own"] });
    assert.deepEqual(pinned.map(({ id }) => id), ["there", "own"]);
    const weighed = federation([{ name: "team", engine: team, weight: 2 }, { name: "agent", engine: agent }]);
    assert.equal((await weighed.search("jwt", { now: NOW })).results.find(({ id }) => id === "shared").tier, "team");
    agent.free();
    team.free();
  });

  it("a11 loads entries and takes feedback where documents are in other files", async () => {
    const split = async (...entries) => {
      const whole = await vaultOf(...entries);
      const { snapshot, docs } = whole.splitSnapshot();
      whole.free();
      return open(snapshot, { docs: docs.map((bytes) => new Blob([bytes])) });
    };
    const [agent, team] = await Promise.all([split(entry("a", "jwt a")), split(entry("b", "jwt b"), entry("a", "other"))]);
    const all = federation([{ name: "team", engine: team }, { name: "agent", engine: agent }]);
    assert.throws(() => agent.vault.load("a"), { code: "documents/missing" });
    const { entries, missing, warnings, degraded, elapsed } = await all.load(["b", "a", 7]);
    assert.deepEqual(entries.map(({ title }) => title), ["jwt b", "jwt a"]);
    assert.deepEqual([missing, warnings, degraded], [["7"], [], false]);
    assert.ok(elapsed > 0);
    assert.equal((await all.feedback({ query: "jwt", entryId: "b", action: "accepted" })).n, 1);
    assert.deepEqual(Object.entries(await all.weights()).map(([name, { n }]) => [name, n]), [["agent", 0], ["team", 1]]);
    agent.free();
    team.free();
  });

  it("tells all that is wrong with its tiers and options", async () => {
    const engine = await vaultOf(entry("a", "jwt"));
    const throws = (tiers, message) => assert.throws(() => federation(tiers), { name: "SnapseekError", code: "option/tiers", message });
    throws(undefined, "tiers: must be an array of tiers, not undefined");
    throws([], "tiers: must have at least one tier");
    throws(
      [{ name: "a", engine, weight: NaN }, { name: "a", engine: {}, weight: -1, priority: 1 }, null, { engine, name: 7 }],
      "tiers.0.weight: must be 0 or more, not NaN; tiers.1.name: another tier has the name \"a\"; tiers.1.engine: must be an " +
        "engine, not an object; tiers.1.weight: must be 0 or more, not -1; tiers.1.priority: unknown option; the options are " +
        "engine, name, weight; tiers.2: must be an object, not null; tiers.3.name: must be a name, not 7",
    );
    const all = federation([{ name: "agent", engine }]);
    const rejects = (promise, code, message) => assert.rejects(promise, { code, message });
    await rejects(all.search("jwt", { maxTokens: -1, limit: 0, colour: 1 }), "option/limit", /limit: .*; maxTokens: .*; colour: unknown option/);
    await rejects(all.search("jwt", { maxTokens: -1 }), "option/maxTokens", /maxTokens: must be 1 to 1000000000, not -1/);
    await rejects(all.search(undefined), "option/query", /query: is required/);
    await rejects(all.search("jwt", 7), "option/invalid", /must be an object/);
    await rejects(all.search("jwt", { all: true }), "option/unknown", /all: unknown option/);
    await rejects(all.search("jwt", { embed: 7 }), "option/embed", /embed: must be a function/);
    await rejects(all.load(null), "option/ids", /ids: must not be null/);
    await rejects(all.load(["a"], { sync: true }), "option/unknown", /sync: unknown option; the options are ids, signal/);
    await rejects(all.feedback({ query: 7, action: "liked" }), "option/query", /query: .*; entryId: is required; action: unknown action/);
    await rejects(all.feedback(), "option/query", /query: is required/);
    const signal = AbortSignal.abort(new Error("no more"));
    for (const call of [all.search("jwt", { signal }), all.load("a", { signal }), all.weights({ signal })]) await assert.rejects(call, /no more/);
    engine.free();
  });

  it("v14 embeds a query once for all tiers of a model, and each tier degrades on its own", async () => {
    const of = (width, id) => {
      const vectors = { m: { field: "v", width, encoding: "f32" } };
      return build([{ ...entry(id, "jwt"), v: [1, ...Array(width - 1).fill(0)] }], { ...schema, vectors });
    };
    const [one, two, wide] = await Promise.all([of(2, "one"), of(2, "two"), of(3, "wide")]);
    const words = await vaultOf(entry("words", "jwt"));
    const all = federation([one, two, wide, words].map((engine, number) => ({ name: `t${number}`, engine })));
    let calls = 0;
    const embed = async () => (calls++, [[1, 0]]);
    const response = await all.search("jwt", { embed, now: NOW });
    assert.equal(calls, 1);
    assert.deepEqual(response.warnings, ["t2: embed: its vector has 2 numbers, and 3 are needed; only keywords were searched"]);
    assert.equal(response.degraded, true);
    const vectors = Object.fromEntries(response.results.map(({ id, breakdown }) => [id, breakdown.vector]));
    assert.deepEqual(vectors, { one: 1, two: 1, wide: 0, words: 0 });
    await assert.rejects(all.search("jwt", { embed, strict: true }), { code: "embed/failed" });
    // Engines that share an embedder share the vector, too, and only its failure where it fails.
    const opened = await Promise.all([one, two].map((engine) => open(engine.snapshot(), { embed })));
    const same = federation(opened.map((engine, number) => ({ name: `t${number}`, engine })));
    calls = 0;
    assert.equal((await same.search("jwt two")).degraded, false);
    assert.equal((await same.search("jwt two")).degraded, false);
    assert.equal(calls, 1, "and the vector is kept");
    const broken = await all.search("jwt three", { embed: async () => { calls++; throw new Error("no key"); } });
    assert.equal(calls, 2);
    assert.deepEqual(broken.warnings.map((warning) => warning.slice(0, 17)), ["t0: embed: no key", "t1: embed: no key", "t2: embed: no key"]);
    for (const engine of [one, two, wide, words, ...opened]) engine.free();
  });

  it("v13 asks a vault in a worker as one at hand", async () => {
    const script = `
      import { parentPort } from "node:worker_threads";
      import { expose } from ${JSON.stringify(new URL("../../pkg/worker-node.js", import.meta.url).href)};
      expose(parentPort);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    const vectors = { m: { field: "v", width: 2, encoding: "f32" } };
    const far = await connect(worker).build([{ ...entry("far", "jwt"), v: [1, 0] }], { ...schema, vectors });
    const near = await build([{ ...entry("near", "jwt"), v: [1, 0] }], { ...schema, vectors });
    const all = federation([{ name: "agent", engine: near }, { name: "team", engine: far }]);
    let calls = 0;
    const { results, degraded } = await all.search("jwt", { now: NOW, embed: async () => (calls++, [[1, 0]]) });
    assert.deepEqual(results.map(({ id, breakdown }) => [id, breakdown.vector]), [["near", 1], ["far", 1]]);
    assert.deepEqual([degraded, calls], [false, 1]);
    assert.deepEqual((await all.load(["far", "near"])).entries.map(({ id }) => id), ["far", "near"]);
    assert.equal((await all.feedback({ query: "jwt", entryId: "far", action: "accepted" })).n, 1);
    const added = await far.vault.add(entry("new", "jwt new"), { embed: async () => [[0, 1]] });
    assert.deepEqual([added.embedded, added.degraded], [1, false]);
    near.free();
    await worker.terminate();
  });
});
