import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { build, federation } from "../../pkg/node.js";
import { keepsAll, merge, withinBudget } from "../../target/js/federation.js";

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
    assert.deepEqual(engine.vault.load("none"), { entries: [], missing: ["none"] });
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
    const without = await engine.vault.search("jwt", { embed: async () => { throw new Error("no key"); } });
    assert.deepEqual([without.degraded, without.weights.vector, without.results.length], [true, 0, 1]);
    assert.match(without.warnings[0], /no key/);
    engine.free();
  });

  it("tells all that is wrong with options", async () => {
    const engine = await vaultOf(entry("a", "jwt"));
    await assert.rejects(engine.vault.search("jwt", { limit: 0, mode: "deep" }), /mode: unknown mode "deep".*limit: must be 1 to 1000/);
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
    assert.equal(embedded, 1, "the query is embedded once");
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
    await all.feedback({ query: "jwt", entryId: "there", action: "accepted" });
    const { agent: first, team: second } = await all.weights();
    assert.deepEqual([first.n, second.n], [0, 1]);
    const weighed = federation([{ name: "team", engine: team, weight: 2 }, { name: "agent", engine: agent }]);
    assert.equal((await weighed.search("jwt", { now: NOW })).results.find(({ id }) => id === "shared").tier, "team");
    agent.free();
    team.free();
  });
});
