// Vector search: with vectors from the caller, from an `embed` function, or from the snapshot's own embedder.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build, open } from "./opening.mjs";
import { untimed } from "./untimed.mjs";

const SCHEMA = {
  fields: { title: {} },
  attributes: { createdAt: "time", group: "keyword" },
  vectors: { plane: { encoding: "f32", field: "place" } },
};
const RECORDS = [
  { id: "north", title: "a polar bear", place: [0, 1], createdAt: "2024-01-01", group: "cold" },
  { id: "east", title: "a red panda", place: new Float32Array([1, 0]), createdAt: "2020-01-01", group: "warm" },
  { id: "between", title: "a brown bear", place: [1, 1], createdAt: "2024-01-01", group: "cold" },
  { id: "nowhere", title: "a teddy bear", createdAt: "2024-01-01", group: "warm" },
];
const ids = (response) => response.hits.map((hit) => hit.id);
const made = () => build(RECORDS, SCHEMA);

test("the nearest vectors come first, and records without a vector are not found", async () => {
  const engine = await made();
  const found = await engine.search("", { mode: "vector", vector: [0.1, 1] });
  assert.deepEqual(ids(found), ["north", "between", "east"]);
  assert.deepEqual([found.mode, found.model, found.legs], ["vector", "plane", { vector: 3 }]);
  const filtered = engine.searchSync("", { mode: "vector", vector: [0.1, 1], filter: { group: "warm" } });
  assert.deepEqual(ids(filtered), ["east"]);
});

test("a vector line gives its record a vector", async () => {
  const lines = RECORDS.filter(({ place }) => place).map(({ id, place }) => ({ $: "vector", id, vector: [...place] }));
  const bare = RECORDS.map(({ place, ...record }) => record);
  const expected = (await made()).snapshot();
  for (const records of [[...lines, ...bare], [...bare, ...lines]]) {
    assert.deepEqual((await build(records, SCHEMA)).snapshot(), expected);
    assert.deepEqual((await build(records.map((line) => JSON.stringify(line)).join("\n"), SCHEMA)).snapshot(), expected);
  }
  const engine = await made();
  assert.deepEqual(engine.add([{ $: "vector", id: "north", vector: [-1, 0] }]), { added: 0, replaced: 0, warnings: [] });
  assert.deepEqual(ids(engine.searchSync("", { mode: "vector", vector: [-1, 0] }))[0], "north");
  assert.match(engine.add([{ $: "vector", id: "nobody", vector: [1, 1] }]).warnings[0], /there is no record "nobody"/);
  assert.throws(() => engine.add([{ $: "delete", id: "north" }]), { code: "record/unknown-line" });
  await assert.rejects(build([{ $: "vector", id: "north", vector: [1, 1] }], { fields: { title: {} } }), {
    code: "record/bad-vector",
    message: /the schema has no vectors/,
  });
});

test("arrays and typed arrays of either precision give the same answers", async () => {
  const engine = await made();
  const answers = [[0.5, 1], new Float32Array([0.5, 1]), new Float64Array([0.5, 1])].map((vector) =>
    untimed(engine.searchSync("bear", { vector })),
  );
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(answers[0], answers[2]);
  assert.equal(answers[0].mode, "hybrid");
});

test("a hybrid hit explains both legs, and the parts add up to the score", async () => {
  const engine = await made();
  const { hits, legs } = engine.searchSync("polar bear", { vector: [1, 0.2], explain: true });
  assert.deepEqual(legs, { keyword: 3, vector: 3 });
  assert.equal(hits.length, 4);
  for (const { score, explain } of hits) {
    assert.equal(explain.parts.reduce((sum, { product }) => sum + product, 0), score);
    assert.ok(explain.keyword || explain.vector);
  }
  const teddy = hits.find((hit) => hit.id === "nowhere");
  assert.equal(teddy.explain.vector, undefined);
});

test("vector search finds added records and not removed ones", async () => {
  const engine = await made();
  engine.add([{ id: "south", title: "a penguin", place: new Float64Array([0, -1]) }]);
  engine.remove(["north"]);
  const found = engine.searchSync("", { mode: "vector", vector: [0, -1] });
  assert.deepEqual(ids(found), ["south", "east", "between"]);
  const again = await open(engine.snapshot());
  assert.deepEqual(untimed(again.searchSync("", { mode: "vector", vector: [0, -1] })), untimed(found));
});

test("embed is called once per query, and only if a vector is needed", async () => {
  const asked = [];
  const embed = async (texts) => {
    asked.push(...texts);
    return texts.map(() => [1, 0]);
  };
  const engine = await made();
  assert.deepEqual(ids(await engine.search("anything", { mode: "vector", embed })).slice(0, 1), ["east"]);
  const opened = await open(engine.snapshot(), { embed });
  assert.equal((await opened.search("bear")).mode, "hybrid");
  assert.equal((await opened.search("bear", { mode: "keyword" })).mode, "keyword");
  assert.equal((await opened.search("bear", { vector: [0, 1] })).mode, "hybrid");
  assert.deepEqual(asked, ["anything", "bear"]);
});

test("a failing embed degrades the search to keywords; in vector mode it is an error", async () => {
  const engine = await made();
  const failing = [
    () => Promise.reject(new Error("no network")),
    () => {
      throw new Error("no network");
    },
    async () => [],
    async () => undefined,
  ];
  for (const embed of failing) {
    const found = await engine.search("bear", { embed });
    assert.deepEqual([found.mode, found.degraded, found.hits.length], ["keyword", true, 3]);
    assert.match(found.warnings[0], /^embed: /);
    await assert.rejects(engine.search("bear", { embed, mode: "vector" }), { code: "embed/failed" });
    await assert.rejects(engine.search("bear", { embed, strict: true }), { code: "embed/failed" });
  }
});

test("the hash embedder needs no model, and finds texts with common words and letters", async () => {
  const schema = { fields: { title: {} }, vectors: { own: { embedder: "hash" } } };
  const engine = await build([{ id: "a", title: "vector searching" }, { id: "b", title: "apple pie" }], schema);
  engine.add([{ id: "c", title: "searches of vectors" }]);
  const found = await engine.search("search vectors", { mode: "vector" });
  assert.deepEqual(ids(found), ["c", "a", "b"]);
  assert.equal(engine.embed("x")?.length, 384);
  assert.equal(engine.schema().vectors.own.width, 384);
});

test("recency lowers scores by their age at `now`", async () => {
  const engine = await made();
  const options = { mode: "vector", vector: [1, 0.1], recency: {}, now: Date.parse("2024-01-02"), explain: true };
  const { hits } = engine.searchSync("", options);
  assert.equal(hits[0].id, "between");
  assert.ok(Math.abs(hits[0].explain.factors[0].value - 0.5906) < 1e-4);
  assert.throws(() => engine.searchSync("", { ...options, recency: { field: "group" } }), { code: "option/recency" });
  assert.equal(engine.searchSync("bear", { recency: {} }).hits.length, 3);
});

test("without SIMD the plain module runs, and gives the same bits", async () => {
  const script = `
    const { compile, Instance } = WebAssembly;
    if (process.argv[1] === "plain") {
      // The module that tests for SIMD is the only one without imports. Here it computes a wrong result.
      WebAssembly.Instance = function (module, imports) {
        return imports ? new Instance(module, imports) : { exports: { f: () => 29 } };
      };
    }
    let size;
    WebAssembly.compile = (bytes) => ((size = bytes.byteLength), compile(bytes));
    const { build } = await import(${JSON.stringify(new URL("../../pkg/node.js", import.meta.url).href)});
    const vector = (seed) => Array.from({ length: 100 }, (_, i) => Math.sin(seed * 37 + i * i));
    const answers = [];
    for (const encoding of ["f32", "i8", "i1"]) {
      const schema = { fields: { title: {} }, vectors: { v: { encoding, field: "v" } } };
      const records = Array.from({ length: 50 }, (_, i) => ({ id: i, title: "word" + (i % 5), v: vector(i) }));
      const engine = await build(records, schema);
      const { elapsed, ...answer } = engine.searchSync("word1", { vector: vector(99), limit: 50, explain: true });
      answers.push(answer);
    }
    console.log(JSON.stringify({ size, answers }));`;
  const run = (build) => execFileSync(process.execPath, ["--input-type=module", "-e", script, build], { encoding: "utf8", cwd: fileURLToPath(new URL(".", import.meta.url)) });
  const [plain, simd] = ["plain", "simd"].map((build) => JSON.parse(run(build)));
  assert.equal(plain.size, statSync(new URL("../../pkg/snapseek.plain.wasm", import.meta.url)).size);
  assert.equal(simd.size, statSync(new URL("../../pkg/snapseek.wasm", import.meta.url)).size);
  assert.equal(plain.answers[0].hits.length, 50);
  assert.deepEqual(plain.answers, simd.answers);
});

const WORDS = new URL("../../tests/golden/words.model", import.meta.url);
const VEHICLES = [{ id: 1, title: "a truck" }, { id: 2, title: "the cat" }];
const withWords = (model) => ({ fields: { title: {} }, vectors: { words: { embedder: "static", ...(model && { model }) } } });

test("a static model comes as bytes, a path, a URL, a Blob, a Response or a promise, and the snapshot carries it", async () => {
  const bytes = readFileSync(WORDS);
  const engine = await build(VEHICLES, withWords(bytes));
  assert.deepEqual(ids(engine.searchSync("a van", { mode: "vector", limit: 1 })), ["1"]);
  assert.equal(engine.schema().vectors.words.id, "words");
  const expected = engine.snapshot();
  const { buffer, byteOffset, length } = bytes;
  const sources = [WORDS, fileURLToPath(WORDS), WORDS.href, new Blob([bytes]), new Response(bytes), buffer.slice(byteOffset, byteOffset + length)];
  for (const source of [...sources, Promise.resolve(bytes)]) {
    assert.deepEqual((await build(VEHICLES, withWords(source))).snapshot(), expected);
  }
  const again = await open(expected);
  assert.deepEqual(again.embed("a van"), engine.embed("a van"));
});

test("a static model that is missing, damaged or for another embedder is refused", async () => {
  const damaged = readFileSync(WORDS);
  damaged[damaged.length - 1] ^= 1;
  const code = "schema/bad-model";
  await assert.rejects(build(VEHICLES, withWords(undefined)), { code, message: /pass the bytes or the URL of the static model/ });
  await assert.rejects(build(VEHICLES, withWords(damaged)), { code, message: /it is damaged/ });
  const hash = { fields: { title: {} }, vectors: { words: { embedder: "hash", model: WORDS } } };
  await assert.rejects(build(VEHICLES, hash), { code, message: /is for the embedder static/ });
  await assert.rejects(build(VEHICLES, withWords("/no/such.model")), { code: "source/failed", message: /the static model could not be read/ });
  await assert.rejects(build(VEHICLES, withWords(7)), { code: "source/unknown" });
});
