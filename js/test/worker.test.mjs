// An engine in a worker, where it differs from a local one. packaging/ compares the answers in every runtime.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { SnapseekError, build, openInWorker } from "../../pkg/node.js";
import { connect } from "../../pkg/worker-node.js";
import { untimed } from "./untimed.mjs";

const SCRIPT = `
import { parentPort } from "node:worker_threads";
import { expose } from ${JSON.stringify(new URL("../../pkg/worker-node.js", import.meta.url).href)};
expose(parentPort);
parentPort.on("message", (message) => { if (message === "die") throw new Error("as I was told"); });
`;
const start = () => new Worker(new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`));
const notes = [{ id: 1, title: "quick fox", v: [1, 0] }, { id: 2, title: "lazy dog", v: [0, 1] }];
const schema = { fields: { title: {} }, vectors: { v: { field: "v" } } };

describe("an engine in a worker", () => {
  let worker;
  let engine;
  before(async () => {
    worker = start();
    engine = await connect(worker).build(notes, schema);
  });
  after(() => worker.terminate());

  it("builds with a static model, wherever that is", async () => {
    const model = new URL("../../tests/golden/words.model", import.meta.url);
    const withModel = (source) => ({ fields: { title: {} }, vectors: { words: { embedder: "static", model: source } } });
    const here = await build(notes, withModel(model));
    const inWorker = connect(worker);
    for (const source of [model, await readFile(model), new Response(await readFile(model))]) {
      const there = await inWorker.build(notes, withModel(source));
      assert.deepEqual(await there.snapshot(), here.snapshot());
      await there.free();
    }
    here.free();
  });

  it("returns the same as a local engine", async () => {
    const here = await build(notes, schema);
    const options = { explain: true, records: true, facets: [], vector: [1, 0.5] };
    assert.deepEqual(untimed(await engine.search("fox", options)), untimed(await here.search("fox", options)));
    assert.deepEqual(untimed(await engine.searchSync("fox")), untimed(here.searchSync("fox")));
    assert.deepEqual(await engine.schema(), here.schema());
    assert.deepEqual(await engine.suggest("f"), here.suggest("f"));
    assert.deepEqual(await engine.snapshot(), here.snapshot());
    assert.equal(await engine.record("nobody"), undefined);
    here.free();
  });

  it("takes records from any iterable", async () => {
    const other = await connect(worker).build(notes.values(), schema);
    assert.deepEqual(await other.add(new Set([{ id: 3, title: "fox" }])), { added: 1, replaced: 0, warnings: [] });
    assert.equal(await other.length, 3);
    await other.free();
  });

  it("reports the progress of a build, and aborts it", async () => {
    const told = [];
    const many = Array.from({ length: 5000 }, (_, id) => ({ id, title: `note ${id}` }));
    const other = await connect(worker).build(many, undefined, { onProgress: (progress) => told.push(progress) });
    assert.deepEqual(told.at(-1), { records: 5000, total: 5000 });
    await other.free();
    const controller = new AbortController();
    const building = connect(worker).build(many, undefined, { signal: controller.signal, onProgress: () => controller.abort(new Error("enough")) });
    await assert.rejects(building, { message: "enough" });
  });

  it("reports a failing `embed` as a local engine does", async () => {
    const embed = async () => {
      throw new Error("no model");
    };
    const response = await engine.search("fox", { embed });
    assert.deepEqual([response.degraded, response.hits[0].id], [true, "1"]);
    assert.match(response.warnings[0], /no model/);
    const error = await engine.search("fox", { embed, mode: "vector" }).catch((error) => error);
    assert.ok(error instanceof SnapseekError && error.code === "embed/failed");
    assert.match(error.message, /no model/);
  });

  it("copies a part of a buffer, and transfers a whole one", async () => {
    const bytes = await engine.snapshot();
    const larger = new Uint8Array(bytes.length + 2);
    larger.set(bytes, 1);
    const other = await openInWorker(worker, larger.subarray(1, -1));
    assert.equal(larger.length, bytes.length + 2);
    assert.equal(await other.length, 2);
    await other.free();
    await (await openInWorker(worker, bytes)).free();
    assert.equal(bytes.length, 0);
  });

  it("keeps the calls of several connections apart", async () => {
    const controller = new AbortController();
    const many = Array.from({ length: 5000 }, (_, id) => ({ id, title: `note ${id}` }));
    const onProgress = () => controller.abort(new Error("enough"));
    const stopped = connect(worker).build(many, undefined, { signal: controller.signal, onProgress });
    await assert.rejects(stopped, { message: "enough" });
    // The worker still answers the aborted call. The new connection must not take that answer for its own.
    const other = await connect(worker).build([{ id: 1, title: "fox" }]);
    assert.equal(await other.length, 1);
    await other.free();
  });

  it("refuses properties that an engine does not have", async () => {
    await assert.rejects(engine.constructor(), { message: /has no constructor/ });
    await assert.rejects(engine.search.constructor("return 1"), { message: /has no search\.constructor/ });
    await assert.rejects(engine.__proto__.toString(), { message: /has no __proto__\.toString/ });
    await assert.rejects(engine.nothing(), { name: "TypeError", message: /has no nothing/ });
  });

  it("ignores other messages on the same port", async () => {
    worker.postMessage({ snapseek: "abort", id: 99 });
    worker.postMessage("hello");
    assert.equal(await engine.length, 2);
  });
});

it("a worker that dies rejects all waiting calls", async () => {
  const worker = start();
  const engine = await connect(worker).build(notes, schema);
  const searching = engine.search("fox", { embed: () => new Promise(() => {}) });
  worker.postMessage("die");
  await assert.rejects(searching, { name: "SnapseekError", code: "worker/failed", message: /as I was told/ });
});
