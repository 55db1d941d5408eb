import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, it } from "node:test";
import { build, open } from "./opening.mjs";
import { untimed } from "./untimed.mjs";

const GOLDEN = new URL("../../tests/golden/", import.meta.url);
const ids = (rows) => rows.map(({ id }) => id);

let snapshot;
before(async () => {
  snapshot = new Uint8Array(await readFile(new URL("v2.snap", GOLDEN)));
});

describe("open takes a snapshot from", () => {
  let folder;
  let path;
  let server;
  let address;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "snapseek-"));
    path = join(folder, "a b.snap");
    await writeFile(path, snapshot);
    server = createServer((_, response) => response.end(snapshot));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${server.address().port}/docs.snap`;
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const sources = {
    "a path": () => path,
    "a file URL": () => pathToFileURL(path),
    "an http URL": () => new URL(address),
    "an http URL as a string": () => address,
    "a Response": () => new Response(snapshot),
    "a promise of a Response": () => fetch(address),
    "a Uint8Array": () => snapshot,
    "a part of a larger buffer": () => new Uint8Array([0, ...snapshot, 0]).subarray(1, snapshot.length + 1),
    "a Buffer": () => Buffer.from(snapshot),
    "an ArrayBuffer": () => snapshot.slice().buffer,
    "a Blob": () => new Blob([snapshot]),
    "a ReadableStream": () => new Blob([snapshot]).stream(),
  };
  for (const [name, source] of Object.entries(sources)) {
    it(name, async () => {
      const engine = await open(source());
      assert.equal(engine.length, 11);
      engine.free();
    });
  }
});

describe("build", () => {
  it("gives the bytes of the native build, from objects and from lines", async () => {
    const text = await readFile(new URL("records.jsonl", GOLDEN), "utf8");
    const schema = JSON.parse(await readFile(new URL("schema.json", GOLDEN), "utf8"));
    const objects = text.trim().split("\n").map((line) => JSON.parse(line));
    for (const records of [text, objects, new Set(objects)]) {
      const engine = await build(records, schema);
      assert.deepEqual(engine.snapshot(), snapshot);
      engine.free();
    }
  });

  it("infers the schema if none is given", async () => {
    const engine = await build([{ id: 1, title: "a", tags: ["x"], size: 3, createdAt: new Date(0), gone: undefined }]);
    assert.deepEqual(engine.schema(), {
      tokenizer: "porter unicode61",
      fields: { title: {} },
      attributes: { tags: "keywords", size: "number", createdAt: "time" },
    });
    assert.deepEqual(engine.record(1), { id: 1, title: "a", tags: ["x"], size: 3, createdAt: "1970-01-01T00:00:00.000Z" });
  });

  it("also starts without records", async () => {
    const engine = await build([], { fields: { text: {} } });
    assert.equal(engine.length, 0);
    assert.deepEqual(engine.match("fox"), []);
    engine.add([{ id: "a", text: "fox" }]);
    assert.deepEqual(ids(engine.match("fox")), ["a"]);
  });
});

describe("an engine", () => {
  let engine;
  before(async () => {
    engine = await open(snapshot);
  });
  after(() => engine.free());

  it("matches expressions, with snippets and highlights on request", () => {
    const markers = { open: "[", close: "]" };
    const rows = engine.match("lazy", { snippet: { column: "body", ellipsis: "…", tokens: 3, ...markers }, highlight: { column: 0, ...markers } });
    assert.equal(rows.length, 1);
    const [{ id, kind, rank, snippet, highlight }] = rows;
    assert.deepEqual({ id, kind, highlight }, { id: "first", kind: "document", highlight: "The quick brown fox" });
    assert.ok(rank < 0);
    assert.match(snippet, /\[lazy\]/);
    assert.deepEqual(Object.keys(engine.match("lazy")[0]), ["id", "kind", "rank"]);
  });

  it("returns hits, counts and records for a search", async () => {
    const response = await engine.search("fox", { count: true, facets: ["topic"], records: true, explain: true, limit: 2 });
    assert.equal(response.total, 2);
    assert.deepEqual(ids(response.hits), ["repeats", "first"]);
    assert.deepEqual(response.facets, [{ attribute: "topic", values: [{ value: "animals", count: 2 }] }]);
    assert.equal(response.hits[1].record.topic, "animals");
    const sum = response.hits[0].explain.keyword.phrases.reduce((total, { part }) => total + part, 0);
    assert.ok(Math.abs(sum - response.hits[0].score) < 1e-12);
  });

  it("filters by every type of attribute", () => {
    const found = (filter) => ids(engine.searchSync("fox bold integer numbers", { filter }).hits).sort();
    assert.deepEqual(found({ topic: "animals" }), ["first", "repeats"]);
    assert.deepEqual(found({ tags: { any: ["dog", "html"] } }), ["first", "markup"]);
    assert.deepEqual(found({ size: { gte: 1, lt: 10 } }), ["first"]);
    assert.deepEqual(found({ done: true, not: { id: "markup" } }), ["first"]);
    assert.deepEqual(found({ createdAt: { gte: new Date("2024-05-01") } }), ["7", "first"]);
    assert.deepEqual(found({ or: [{ topic: "ids" }, { topic: null, kind: "document" }] }), ["7", "markup", "numbers"]);
  });

  it("escapes the text of snippets, unless `raw` is set", () => {
    const snippet = (raw) => engine.searchSync("onerror", { snippet: { raw } }).hits[0].snippet;
    assert.equal(snippet(false), "&lt;img src=x <mark>onerror</mark>=alert(1)&gt; is text like any other");
    assert.equal(snippet(true), "<img src=x <mark>onerror</mark>=alert(1)> is text like any other");
  });

  it("completes the last word, corrects typing errors, and suggests words", () => {
    const first = (query, options) => engine.searchSync(query, options).hits[0]?.id;
    assert.equal(first("connectio", { asYouType: true }), "repeats");
    assert.equal(first("connectio"), undefined);
    assert.equal(first("fence jmups", { typos: 2 }), "first");
    assert.equal(first("東京"), "東京");
    assert.deepEqual(engine.suggest("conn", 2), [{ word: "connect", count: 1 }, { word: "connected", count: 1 }]);
  });

  it("returns a record by its id and kind", () => {
    assert.equal(engine.record(7).title, "An integer id");
    assert.equal(engine.record("7", "note").title, "The same id, another kind");
    assert.equal(engine.record("nobody"), undefined);
  });

  it("verifies itself", () => {
    assert.doesNotThrow(() => engine.verify());
  });

  it("answers concurrent calls of the same query alike", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => engine.search("fox")));
    for (const answer of answers) assert.deepEqual(untimed(answer), untimed(answers[0]));
  });
});

describe("writing", () => {
  it("adds, replaces and removes", async () => {
    const engine = await open(snapshot);
    const { warnings, ...written } = engine.add([{ id: "new", title: "A new fox" }, { id: "first", title: "No animal" }]);
    assert.deepEqual(written, { added: 2, replaced: 1 });
    assert.match(warnings[0], /no vector of "wide" any more/);
    assert.deepEqual(engine.add([{ id: "new", title: "A newer fox" }]), { added: 1, replaced: 1, warnings: [] });
    assert.deepEqual(ids(engine.match("fox")).sort(), ["new", "repeats"]);
    assert.deepEqual(engine.remove(["new", 7, { id: "7", kind: "note" }, "nobody"]), {
      removed: 3,
      warnings: ['there is no record "nobody" of kind "document"'],
    });
    assert.equal(engine.length, 9);
    engine.free();
  });

  it("passes its changes on to another engine", async () => {
    const engine = await open(snapshot);
    const other = await open(snapshot);
    engine.add('{"id": "new", "title": "A new fox"}\n');
    engine.remove(["first"]);
    other.apply(engine.changes());
    assert.deepEqual(other.snapshot(), engine.snapshot());
    assert.deepEqual(ids(other.match("fox")), ids(engine.match("fox")));
  });
});

describe("free", () => {
  it("makes every later call fail, and can be called twice", async () => {
    const engine = await open(snapshot);
    engine.free();
    engine.free();
    const calls = {
      length: () => engine.length,
      match: () => engine.match("fox"),
      searchSync: () => engine.searchSync("fox"),
      suggest: () => engine.suggest("f"),
      record: () => engine.record("first"),
      add: () => engine.add([]),
      remove: () => engine.remove([]),
      changes: () => engine.changes(),
      apply: () => engine.apply(snapshot),
      snapshot: () => engine.snapshot(),
      schema: () => engine.schema(),
      verify: () => engine.verify(),
    };
    for (const [name, call] of Object.entries(calls)) assert.throws(call, { name: "SnapseekError", code: "engine/freed" }, name);
    await assert.rejects(engine.search("fox"), { code: "engine/freed" });
  });

  it("is what `using` calls at the end of a block", { skip: !Symbol.dispose }, async () => {
    const engine = await open(snapshot);
    engine[Symbol.dispose]();
    assert.throws(() => engine.length, { code: "engine/freed" });
  });

  it("leaves other engines alone", async () => {
    const [engine, other] = await Promise.all([open(snapshot), open(snapshot)]);
    engine.free();
    assert.equal(other.length, 11);
  });
});
