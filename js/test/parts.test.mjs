// Snapshots as folders of parts, from a server and from a path. `cli/tests/parts.rs` tests what writes them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build, open } from "../../pkg/node.js";
import { untimed } from "./untimed.mjs";

const QUERIES = ["w1 w2", "w777", "w12 w13 w14"];

let whole;
let snapshot;
/** The files of the folder by name. */
let files;
let server;
let address;
let requests = [];

/** Cuts a snapshot into its head and parts of some length. */
function folderOf(bytes, length) {
  const head = Number(new DataView(bytes.buffer).getBigUint64(32, true));
  const cuts = [0, head];
  while (cuts.at(-1) < bytes.length) cuts.push(Math.min(cuts.at(-1) + length, bytes.length));
  const parts = cuts.slice(1).map((end, place) => bytes.subarray(cuts[place], end));
  const named = parts.map((part) => [createHash("sha256").update(part).digest("hex").slice(0, 16), part]);
  const entry = { snapseek: 1, length: bytes.length, parts: named.map(([hash, part]) => [hash, part.length]), previous: [] };
  return Object.fromEntries([["snapseek.json", JSON.stringify(entry)], ...named.map(([hash, part]) => [`${hash}.part`, part])]);
}

before(async () => {
  const word = (id, place) => `w${(id * 7919 + place * place * 104_729) % 3001}`;
  const records = Array.from({ length: 3000 }, (_, id) => ({
    id,
    title: word(id, 0),
    body: Array.from({ length: 60 }, (_, place) => word(id, place + 1)).join(" "),
  }));
  whole = await build(records, { fields: { title: {}, body: {} } });
  snapshot = whole.snapshot();
  files = folderOf(snapshot, 30_000);
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(request.url);
    const file = files[pathname.replace("/search/", "")];
    return file ? response.end(file) : response.writeHead(404).end("not found");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/search/`;
});
after(() => {
  whole.free();
  server.close();
  server.closeAllConnections();
});

async function assertSameAnswers(engine) {
  for (const query of QUERIES) assert.deepEqual(untimed(await engine.search(query)), untimed(whole.searchSync(query)));
  assert.deepEqual(await engine.withDocuments(() => engine.record("7")), whole.record("7"));
}

describe("a folder of parts", () => {
  it("is read part by part from a server, each part once", async () => {
    for (const place of [address, `${address}snapseek.json`, new URL(`${address}?version=3`)]) {
      requests = [];
      const engine = await open(place);
      assert.equal(engine.transfer.load, "ranges");
      assert.equal(requests.length, 2, "the list of parts, and the head");
      await engine.search("w777");
      assert.ok(engine.transfer.bytes < snapshot.length / 2, `${engine.transfer.bytes} of ${snapshot.length} bytes`);
      await assertSameAnswers(engine);
      assert.equal(new Set(requests).size, requests.length, "a part came twice");
      assert.equal(engine.transfer.requests, requests.length);
      assert.ok(requests.every((url) => String(place).includes("?") === url.includes("?version=3")));
      engine.free();
    }
  });

  it("is read whole if the caller says so, or if it is small", async () => {
    const engine = await open(address, { load: "whole" });
    assert.equal(engine.transfer.load, "whole");
    assert.deepEqual(engine.snapshot(), snapshot);
    engine.free();
    const small = await build([{ id: 1, title: "a fox" }]);
    const before = files;
    files = folderOf(small.snapshot(), 100);
    const whole = await open(address);
    assert.deepEqual([whole.transfer.load, whole.searchSync("fox").hits[0].id], ["whole", "1"]);
    whole.free();
    small.free();
    files = before;
  });

  it("is read from a path, where synchronous calls work", async () => {
    const folder = await mkdtemp(join(tmpdir(), "snapseek-"));
    try {
      for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
      for (const place of [`${folder}/`, join(folder, "snapseek.json")]) {
        const engine = await open(place, { load: "ranges" });
        assert.deepEqual(engine.match("w1 OR w2"), whole.match("w1 OR w2"));
        await assertSameAnswers(engine);
        assert.deepEqual(engine.snapshot(), snapshot);
        engine.free();
      }
      await assert.rejects(open(`${folder}/none/`), { code: "source/failed", message: /ENOENT/ });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("that was replaced under an open engine is an error", async () => {
    const engine = await open(address);
    const before = files;
    files = {};
    await assert.rejects(engine.search("w1"), { code: "snapshot/changed", message: /open it again/ });
    files = before;
    await assertSameAnswers(engine);
    engine.free();
  });

  it("with damaged parts is an error", async () => {
    const engine = await open(address);
    const before = files;
    const damaged = (content) => (typeof content === "string" ? content : content.map((byte) => byte ^ 1));
    files = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, damaged(content)]));
    await assert.rejects(engine.search("w1"), { code: "snapshot/changed" });
    files = before;
    engine.free();
  });

  it("needs a list of parts that this version reads", async () => {
    const before = files;
    const codes = { "<!doctype html>": "not-a-snapshot", "{}": "not-a-snapshot", null: "not-a-snapshot", '{"snapseek":2}': "unsupported-version" };
    for (const [text, code] of Object.entries(codes)) {
      files = { "snapseek.json": text };
      await assert.rejects(open(address), { code: `snapshot/${code}` }, text);
    }
    files = {};
    await assert.rejects(open(address), { code: "source/failed", message: /404/ });
    files = before;
  });
});
