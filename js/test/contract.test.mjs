// One contract for every call: each public method × each of its options × values that no option takes. docs/api-contract.md
// states the rules. A new method fails the first test until it has a line here; a new option is found by asking for one that
// does not exist.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { build, federation, open, openInWorker, SnapseekError } from "../../pkg/node.js";
import { connect } from "../../pkg/worker-node.js";

const cyclic = {};
cyclic.self = cyclic;

/** Values that no option takes, whatever its type. */
const BAD = {
  NaN: NaN,
  "an invalid date": new Date(NaN),
  "a function": () => 1,
  "a symbol": Symbol("option"),
  "a bigint": 10n,
  "a cycle": cyclic,
  "a list of lists": [[{}]],
  null: null,
};

/** Queries that are none. */
const BAD_QUERIES = { undefined, null: null, "a number": 7, NaN: NaN, "an object": {}, "an array": ["a"], "a function": () => "a" };

/**
 * Every public method that takes options: how it is called with them, and what else is true of it.
 *
 * - `query`: the name of its first argument, how it is called with another one, and the bad queries that it takes.
 * - `positional`: further arguments that are no options, though the module reads them as such.
 * - `removes`: `null` removes a value, so it is allowed.
 * - `sync`: it answers at once, so it takes no signal.
 */
const CALLS = {
  "engine.search": { call: (e, o) => e.search("fox", o), query: ["query", (e, q) => e.search(q)] },
  "engine.searchSync": { call: (e, o) => e.searchSync("fox", o), query: ["query", (e, q) => e.searchSync(q)], sync: true },
  "engine.match": { call: (e, o) => e.match("fox", o), query: ["expression", (e, q) => e.match(q)], sync: true },
  "engine.verify": { call: (e, o) => e.verify(o), sync: true },
  "engine.splitSnapshot": { call: (e, o) => e.splitSnapshot(o), sync: true },
  "engine.withDocuments": { call: (e, o) => e.withDocuments(() => 1, o) },
  "memory.search": { call: (e, o) => e.memory.search({ query: "fox", ...o }), query: ["query", (e, query) => e.memory.search({ query })] },
  "memory.searchDocuments": { call: (e, o) => e.memory.searchDocuments("fox", o), query: ["query", (e, q) => e.memory.searchDocuments(q)] },
  "memory.searchFts": { call: (e, o) => e.memory.searchFts("fox", o), query: ["query", (e, q) => e.memory.searchFts(q)] },
  "memory.searchVector": { call: (e, o) => e.memory.searchVector("fox", o), query: ["query", (e, q) => e.memory.searchVector(q)] },
  "memory.timeline": { call: (e, o) => e.memory.timeline("m1", undefined, undefined, o), query: ["id", (e, q) => e.memory.timeline(q), ["a number"]] },
  "memory.sessionContext": { call: (e, o) => e.memory.sessionContext("m1", o), query: ["id", (e, q) => e.memory.sessionContext(q), ["a number"]] },
  "memory.get": { call: (e, o) => e.memory.get("m1", o), query: ["id", (e, q) => e.memory.get(q), ["a number"]] },
  "memory.create": { call: (e, o) => e.memory.create({ content: "fox", ...o }), query: ["content", (e, content) => e.memory.create({ content })] },
  "memory.update": { call: (e, o) => e.memory.update("m1", { ...o }), removes: true },
  "memory.supersede": { call: (e, o) => e.memory.supersede("m1", "m2", o) },
  "memory.relate": { call: (e, o) => e.memory.relate("m1", "m2", "RELATED_TO", o) },
  "memory.reinforce": { call: (e, o) => e.memory.reinforce("m1", 0.1, o) },
  "memory.deemphasize": { call: (e, o) => e.memory.deemphasize("m1", 0.1, o) },
  "memory.linkToSession": { call: (e, o) => e.memory.linkToSession("m1", "s1", "recalled", o) },
  "memory.delete": { call: (e, o) => e.memory.delete("m2", o) },
  "memory.session": { call: (e, o) => e.memory.session({ id: "s1", ...o }) },
  "memory.configure": { call: (e, o) => e.memory.configure(o), sync: true },
  "rag.search": { call: (e, o) => e.rag.search({ query: "fox", ...o }), query: ["query", (e, query) => e.rag.search({ query })] },
  "rag.index": { call: (e, o) => e.rag.index([{ sourceType: "context", sourceId: "c1", body: "fox" }], o), positional: ["sources"] },
  "rag.remove": { call: (e, o) => e.rag.remove({ sourceType: "context", sourceId: "none", ...o }), sync: true },
  "unified.search": { call: (e, o) => e.unified.search({ query: "fox", ...o }), query: ["query", (e, query) => e.unified.search({ query }), ["undefined"]] },
  "unified.decisions": { call: (e, o) => e.unified.decisions("fox", o), query: ["query", (e, q) => e.unified.decisions(q), ["undefined"]] },
  "unified.changes": { call: (e, o) => e.unified.changes("fox", o), query: ["query", (e, q) => e.unified.changes(q), ["undefined"]] },
  "unified.howItWorks": { call: (e, o) => e.unified.howItWorks("fox", o), query: ["query", (e, q) => e.unified.howItWorks(q), ["undefined"]] },
  "unified.warm": { call: (e, o) => e.unified.warm(o) },
  "vault.search": { call: (e, o) => e.vault.search("fox", o), query: ["query", (e, q) => e.vault.search(q)] },
  "vault.feedback": { call: (e, o) => e.vault.feedback({ query: "fox", entryId: "v1", action: "accepted", ...o }), sync: true },
  "vault.add": { call: (e, o) => e.vault.add([{ id: "v9", title: "fox" }], o), positional: ["entries"] },
  "vault.update": { call: (e, o) => e.vault.update("v1", { title: "fox" }, o), positional: ["id", "fields"] },
  "vault.remove": { call: (e, o) => e.vault.remove(["none"], o), positional: ["ids"] },
  "vault.link": { call: (e, o) => e.vault.link("v1", "v2", o), removes: true, positional: ["from", "to"] },
  "vault.unlink": { call: (e, o) => e.vault.unlink("v1", "v2", o), positional: ["from", "to"] },
  "federation.search": { call: (_, o, f) => f.search("fox", o), query: ["query", (_, q, f) => f.search(q)] },
  "federation.load": { call: (_, o, f) => f.load(["v1"], o), positional: ["ids"] },
  "federation.feedback": { call: (_, o, f) => f.feedback({ query: "fox", entryId: "v1", action: "accepted" }, o), positional: ["action", "createdAt", "entryId", "query"] },
  "federation.weights": { call: (_, o, f) => f.weights(o) },
  open: { call: (e, o) => open(e.snapshot(), o) },
  build: { call: (_, o) => build([{ id: 1, title: "fox" }], undefined, o) },
};

/** Methods without options; `text` and `id` arguments are checked in tests of their own below. */
const WITHOUT_OPTIONS = new Set([
  "engine.schema", "engine.embed", "engine.suggest", "engine.record", "engine.free", "engine.add", "engine.remove", "engine.changes",
  "engine.apply", "engine.snapshot", "unified.startWarming", "unified.stopWarming", "unified.stats", "vault.load", "vault.weights",
]);

/** Methods that the package uses itself. */
const INTERNAL = new Set([
  "engine.call", "engine.ask", "engine.askSync", "engine.embedQuery", "engine.compactedSnapshot", "engine.allChanges", "engine.rebase",
  "vault.tier",
]);

/** Options whose values JavaScript itself judges later: anything may say where a module or a file of documents is. */
const UNCHECKED = new Set(["wasm", "docs"]);

const schema = {
  fields: { title: {}, content: {}, text: {}, description: {} },
  attributes: {
    projectId: "keyword", sector: "keyword", tier: "keyword", salience: "number", importance: "number", tags: "keywords", concepts: "keywords",
    files: "keywords", createdAt: "time", updatedAt: "time", lastAccessed: "time", validFrom: "time", validUntil: "time", isDeleted: "bool",
    sourceType: "keyword", sourceId: "keyword", sessionId: "keyword", contextId: "keyword", project: "keyword", obsType: "keyword",
    scope: "keyword", domain: "keyword", severity: "keyword", type: "keyword",
  },
  vectors: { own: { embedder: "hash" } },
};
const records = [
  { id: "m1", kind: "memory", content: "the quick fox", createdAt: 1 },
  { id: "m2", kind: "memory", content: "the lazy dog", createdAt: 2 },
  { id: "v1", kind: "entry", title: "a fox", description: "a quick fox" },
  { id: "v2", kind: "entry", title: "a dog", description: "a lazy dog" },
  { id: "context:c0#0", kind: "chunk", text: "a fox", sourceType: "context", sourceId: "c0" },
];

/** What a call threw or rejected with; nothing where it went through. */
async function failure(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The options of a call, as its own message about an unknown one lists them. */
async function optionsOf(name, call) {
  const error = await failure(() => call({ optionThatDoesNotExist: 1 }));
  assert.ok(error instanceof SnapseekError, `${name} takes an unknown option, or fails with ${error}`);
  assert.equal(error.code, "option/unknown", `${name}: ${error.message}`);
  const [, known] = /optionThatDoesNotExist: unknown option; the options are (.*)$/.exec(error.message) ?? [];
  assert.ok(known, error.message);
  return known.split(", ");
}

const methodsOf = (prefix, object, stop) => {
  const names = [];
  for (let proto = Object.getPrototypeOf(object); proto && proto !== stop; proto = Object.getPrototypeOf(proto)) {
    const own = Object.getOwnPropertyDescriptors(proto);
    for (const [name, { value }] of Object.entries(own)) {
      if (name !== "constructor" && typeof value === "function") names.push(`${prefix}.${name}`);
    }
  }
  return names;
};

describe("the contract", () => {
  let engine;
  let vaults;
  before(async () => {
    engine = await build(records, schema);
    vaults = federation([{ name: "agent", engine }]);
  });
  after(() => engine.free());

  it("covers every public method", () => {
    const all = [
      ...methodsOf("engine", engine, Object.prototype),
      ...["memory", "rag", "unified", "vault"].flatMap((name) => methodsOf(name, engine[name], Object.prototype)),
      ...methodsOf("federation", vaults, Object.prototype),
    ];
    const missing = all.filter((name) => !(name in CALLS) && !WITHOUT_OPTIONS.has(name) && !INTERNAL.has(name));
    assert.deepEqual(missing, [], "give each of these a line in this file");
  });

  for (const [name, { call, sync, removes, query, positional = [] }] of Object.entries(CALLS)) {
    const on = (options) => call(engine, options, vaults);
    const isChecked = (option) => !UNCHECKED.has(option) && !positional.includes(option) && option !== query?.[0];

    it(`${name}: every option refuses what no option takes, by its own name`, async (t) => {
      const options = await optionsOf(name, on);
      let tried = 0;
      for (const option of options.filter(isChecked)) {
        for (const [kind, value] of Object.entries(BAD)) {
          if (kind === "a function" && ["embed", "onProgress"].includes(option)) continue;
          if (kind === "null" && removes) continue;
          const error = await failure(() => on({ [option]: value }));
          assert.ok(error instanceof SnapseekError, `${name} takes ${kind} as ${option}, or fails with ${error}`);
          assert.equal(error.code, `option/${option}`, `${kind}: ${error.message}`);
          tried += 1;
        }
      }
      t.diagnostic(`${name}: ${options.length} options × ${Object.keys(BAD).length} values, ${tried} tried`);
      if (!sync) assert.ok(options.includes("signal"), `${name} takes no signal`);
    });

    it(`${name}: Infinity is an error, or clamped and reported`, async () => {
      for (const option of (await optionsOf(name, on)).filter(isChecked)) {
        let response;
        const error = await failure(async () => (response = await on({ [option]: Infinity })));
        if (error) assert.equal(error.code, `option/${option}`, error.message);
        else assert.equal(response.clamped?.[option]?.given, Infinity, `${name} takes ${option}: Infinity`);
      }
    });

    it(`${name}: options that are no object are an error`, async () => {
      for (const options of [7, "limit", true]) {
        const error = await failure(() => on(options));
        // Where options are spread into an object, a number or a boolean leaves nothing behind.
        if (error) assert.match(error.code, /^option\//, `${name}(${options}): ${error.message}`);
      }
    });
  }

  for (const [name, { query }] of Object.entries(CALLS).filter(([, { query }]) => query)) {
    const [argument, call, allowed = []] = query;
    it(`${name}: what is no ${argument} is option/${argument}`, async () => {
      for (const [kind, value] of Object.entries(BAD_QUERIES).filter(([kind]) => !allowed.includes(kind))) {
        const error = await failure(() => call(engine, value, vaults));
        assert.ok(error instanceof SnapseekError, `${name} takes ${kind}, or fails with ${error}`);
        assert.equal(error.code, `option/${argument}`, `${kind}: ${error.message}`);
      }
    });
  }

  it("all faults of a call are told in one message", async () => {
    const error = await failure(() => engine.search(7, { limit: "many", mode: "fuzzy", weights: { nowhere: 1 }, lmit: 3 }));
    assert.equal(error.code, "option/query");
    for (const part of ["query: must be a string, not a number", "limit: must be a number, not a string", 'mode: unknown mode "fuzzy"', 'weights: there is no text field "nowhere"', "lmit: unknown option"]) {
      assert.ok(error.message.includes(part), `${part} is not in ${error.message}`);
    }
  });

  it("half a surrogate pair becomes U+FFFD, in queries, options and records", async () => {
    const other = await build([{ id: "1", title: "a \ud800 b fox" }], { fields: { title: {} }, attributes: { tag: "keyword" } });
    assert.equal(other.record("1").title, "a \ufffd b fox");
    other.add([{ id: "2", title: "fox \udc00", tag: "x\ud83d" }]);
    assert.equal(other.record("2").tag, "x\ufffd");
    assert.equal((await other.search("fox \ud800")).query, "fox \ufffd");
    assert.deepEqual(other.match("fox", { filter: { tag: "x\ud83d" } }).map(({ id }) => id), ["2"]);
    other.free();
  });

  it("every asynchronous call stops before it begins where its signal is aborted", async () => {
    const reason = new Error("no longer needed");
    for (const [name, { call, sync }] of Object.entries(CALLS)) {
      if (sync) continue;
      assert.equal(await failure(() => call(engine, { signal: AbortSignal.abort(reason) }, vaults)), reason, name);
    }
  });

  it("every response has warnings, degraded and elapsed", async () => {
    const responses = ["engine.search", "engine.searchSync", "memory.search", "memory.searchDocuments", "memory.searchFts", "memory.searchVector", "memory.timeline", "memory.create", "rag.search", "rag.index", "rag.remove", "unified.search", "unified.decisions", "vault.search", "vault.add", "vault.update", "federation.search"];
    for (const name of responses) {
      const { warnings, degraded, elapsed } = await CALLS[name].call(engine, {}, vaults);
      assert.ok(Array.isArray(warnings), name);
      assert.equal(typeof degraded, "boolean", name);
      assert.ok(elapsed >= 0, name);
    }
  });
});

describe("the contract of embed", () => {
  const rows = [{ id: "1", title: "a fox", v: [1, 0] }, { id: "2", title: "a dog", v: [0, 1] }];
  const withVectors = (embed) => build(rows, { fields: { title: {}, content: {}, text: {} }, attributes: { sourceType: "keyword", sourceId: "keyword" }, vectors: { v: { field: "v" } } }, embed && { embed });
  const UNUSABLE = {
    "throws": () => { throw new Error("no key"); },
    "rejects": async () => { throw new Error("no key"); },
    "gives nothing": () => undefined,
    "gives no vector": () => [],
    "gives two vectors": () => [[1, 0], [0, 1]],
    "gives zeros": () => [[0, 0]],
    "gives NaN": () => [[NaN, 1]],
    "gives another width": () => [[1, 0, 0]],
    "gives a string": () => ["vector"],
  };
  const SEARCHES = {
    search: (engine, options) => engine.search("fox", options),
    "memory.search": (engine, options) => engine.memory.search({ query: "fox", ...options }),
    "memory.searchVector": (engine, options) => engine.memory.searchVector("fox", options),
    "rag.search": (engine, options) => engine.rag.search({ query: "fox", ...options }),
    "unified.search": (engine, options) => engine.unified.search({ query: "fox", ...options }),
    "vault.search": (engine, options) => engine.vault.search("fox", options),
    federation: (engine, options) => federation([{ name: "agent", engine }]).search("fox", options),
  };
  for (const [name, search] of Object.entries(SEARCHES)) {
    it(`${name}: an unusable vector degrades the response, is an error with strict, and is not kept`, async () => {
      const engine = await withVectors();
      for (const [kind, unusable] of Object.entries(UNUSABLE)) {
        let calls = 0;
        const embed = (texts) => (calls += 1, unusable(texts));
        const first = await search(engine, { embed });
        assert.equal(first.degraded, true, kind);
        assert.ok(first.warnings.some((warning) => warning.includes("embed: ")), `${kind}: ${first.warnings}`);
        await search(engine, { embed });
        assert.equal(calls, 2, `${kind} was kept`);
        const error = await failure(() => search(engine, { embed, strict: true }));
        assert.equal(error?.code, "embed/failed", `${kind}: ${error}`);
      }
      engine.free();
    });
  }

  it("one cache serves every recipe, by text and model, whichever function made the vector", async () => {
    const engine = await withVectors();
    let calls = 0;
    for (const search of Object.values(SEARCHES)) await search(engine, { embed: () => (calls += 1, [[1, 0]]) });
    assert.equal(calls, 1);
    engine.free();
  });

  it("build embeds records and queries; what is unusable is a warning, or an error with strict", async () => {
    const notes = [{ id: "1", title: "a fox" }, { id: "2", title: "a dog" }];
    const model = { fields: { title: {} }, vectors: { m: {} } };
    const embed = (texts) => texts.map((text) => (text.includes("fox") ? [1, 0] : [0, 1]));
    const engine = await build(notes, model, { embed });
    assert.deepEqual(engine.warnings, []);
    const { hits, mode } = await engine.search("fox", { mode: "vector" });
    assert.deepEqual([mode, hits[0].id], ["vector", "1"]);
    engine.free();
    const half = await build(notes, model, { embed: (texts) => texts.map((text) => (text.includes("fox") ? [1, 0] : [0, 0])) });
    assert.match(half.warnings.join(), /zeros.*1 records? ha/);
    half.free();
    const error = await failure(() => build(notes, model, { strict: true, embed: () => { throw new Error("no key"); } }));
    assert.deepEqual([error?.code, error?.message.includes("no key")], ["embed/failed", true]);
  });

  it("a preset with vectors is one call", async () => {
    const engine = await build([{ id: "e1", title: "fox", description: "quick", severity: "critical" }], { preset: "vault", vectors: { m: { encoding: "f32" } } }, { embed: (texts) => texts.map(() => [1, 0]) });
    assert.deepEqual(engine.schema().vectors.m.text, ["title", "description", "context"]);
    const { results } = await engine.vault.search("anything");
    assert.ok(results[0].breakdown.vector > 0.99);
    engine.free();
  });
});

describe("the contract in a worker", () => {
  const SCRIPT = `
    import { parentPort } from "node:worker_threads";
    import { expose } from ${JSON.stringify(new URL("../../pkg/worker-node.js", import.meta.url).href)};
    expose(parentPort);`;
  let worker;
  let engine;
  before(async () => {
    worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`));
    engine = await connect(worker).build(records, schema);
  });
  after(() => worker.terminate());

  for (const [name, { call, query, positional = [] }] of Object.entries(CALLS)) {
    if (/^(open|build|federation|engine\.withDocuments)/.test(name)) continue;
    const isChecked = (option) => !UNCHECKED.has(option) && !positional.includes(option) && option !== query?.[0];
    it(`${name}: every option refuses what no option takes, by its own name`, async () => {
      const on = (options) => call(engine, options);
      const options = await optionsOf(name, on);
      for (const option of options.filter(isChecked)) {
        for (const [kind, value] of Object.entries(BAD)) {
          // Functions go to the worker as functions, and signals as signals.
          if (kind === "a function" && ["embed", "onProgress"].includes(option)) continue;
          if (kind === "null" && CALLS[name].removes) continue;
          const error = await failure(() => on({ [option]: value }));
          assert.equal(error?.code, `option/${option}`, `${kind}: ${error}`);
        }
      }
    });
  }

  it("openInWorker: embed is called for every search, as long as the engine lives", async () => {
    const built = await build([{ id: "1", title: "a fox" }], { fields: { title: {} }, vectors: { m: {} } }, { embed: (texts) => texts.map(() => [1, 0]) });
    let calls = 0;
    const remote = await openInWorker(worker, built.snapshot(), { embed: (texts) => (calls += 1, texts.map(() => [1, 0])) });
    assert.equal((await remote.search("first")).mode, "hybrid");
    assert.equal((await remote.search("second")).mode, "hybrid");
    assert.equal(calls, 2);
    await remote.free();
    built.free();
  });
});
