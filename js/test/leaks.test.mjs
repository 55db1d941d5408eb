// Opens, searches, aborts and frees many times: the module's memory must not grow.
//
//   node test/leaks.test.mjs --long    10,000 engines, 100,000 searches, 1,000 aborted calls; by default a tenth of that

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { build, open } from "../../pkg/node.js";
import { initSync } from "../../pkg/glue.js";

const share = process.argv.includes("--long") ? 1 : 0.1;
const snapshot = new Uint8Array(await readFile(new URL("../../tests/golden/v2.snap", import.meta.url)));
(await open(snapshot)).free();
// After the first call, `initSync` returns the existing instance.
const { memory } = initSync({});

/** Repeats some work. Memory may grow in the first tenth of the repetitions, and not afterwards. */
async function repeated(times, work) {
  const count = Math.round(times * share);
  for (let i = 0; i < count / 10; i++) await work(i);
  const before = memory.buffer.byteLength;
  for (let i = 0; i < count; i++) await work(i);
  assert.equal(memory.buffer.byteLength, before, `after ${count} times`);
}

const QUERIES = ["fox", "lazy dog", "東京", "connectio", "numbers bold", "nothing like it"];
const OPTIONS = [{}, { asYouType: true }, { typos: 2 }, { explain: true, records: true, facets: ["topic"] }, { mode: "vector" }];
const stream = () => new Blob([snapshot]).stream();

test("engines that are opened, searched and freed", () =>
  repeated(10_000, async (i) => {
    const engine = await open(i % 10 === 0 ? stream() : snapshot);
    engine.searchSync(QUERIES[i % QUERIES.length]);
    engine.free();
  }));

test("searches", async () => {
  const engine = await open(snapshot);
  const hash = await build([{ id: 1, title: "quick fox" }], { fields: { title: {} }, vectors: { own: { embedder: "hash" } } });
  await repeated(100_000, (i) => {
    const options = OPTIONS[i % OPTIONS.length];
    (options.mode ? hash : engine).searchSync(QUERIES[i % QUERIES.length], options);
  });
  engine.free();
  hash.free();
});

test("aborted and faulty searches", async () => {
  const engine = await open(snapshot);
  await repeated(1000, async () => {
    const controller = new AbortController();
    const searching = engine.search("fox", { embed: () => new Promise(() => {}), signal: controller.signal });
    controller.abort();
    await assert.rejects(searching, { name: "AbortError" });
    assert.throws(() => engine.match("nix : a"), { code: "query/no-such-column" });
  });
  engine.free();
});

test("aborted and failing calls of open and build", () =>
  repeated(1000, async () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await assert.rejects(open(stream(), { signal: controller.signal, onProgress }), { name: "AbortError" });
    await assert.rejects(open(new Blob([snapshot, "more"])), { code: "snapshot/wrong-length" });
    await assert.rejects(open(snapshot.subarray(1)), { code: "snapshot/not-a-snapshot" });
    await assert.rejects(build([{ id: 1, title: "a" }, {}], { fields: { title: {} } }), { code: "record/missing-id" });
  }));

test("writes to engines that are then freed", () =>
  repeated(1000, async (i) => {
    const engine = await open(snapshot);
    engine.add([{ id: `new ${i}`, title: "A new fox" }]);
    engine.remove([`new ${i}`, "first"]);
    engine.apply(engine.changes());
    engine.free();
  }));
