// Snapshots whose documents are in other files: on a server, in a blob, at a path.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { after, afterEach, before, describe, it } from "node:test";
import { SnapseekError } from "../../pkg/node.js";
import { openInWorker } from "../../pkg/worker-node.js";
import { lines, schema } from "./demo.mjs";
import { serveRanges } from "./ranges-server.mjs";
import { build, open } from "./opening.mjs";
import { untimed } from "./untimed.mjs";

const QUERIES = ["rollback plan", "ferry booking", "incident", "keyboard shortcuts", "test the backup", "検索 東京"];
const OPTIONS = [{}, { records: true, limit: 3 }, { explain: true, highlight: ["body"], limit: 25 }];
const HIGHLIGHT = { highlight: { column: "body", open: "[", close: "]" }, limit: 4 };

let whole;
/** Split snapshots with one file of documents and with several. */
let one;
let several;
const servers = [];
const engines = [];

before(async () => {
  whole = await build(await lines(), await schema());
  one = whole.splitSnapshot();
  several = whole.splitSnapshot({ maxFileSize: 20_000 });
});
after(async () => {
  whole.free();
  await Promise.all(servers.map((server) => server.stop()));
});

/** Opens an engine that `afterEach` frees. */
async function opened(...args) {
  const engine = await open(...args);
  engines.push(engine);
  return engine;
}
afterEach(() => engines.splice(0).forEach((engine) => engine.free()));

async function serve(how) {
  const files = { "/one.snap": one.snapshot, "/one.snap.docs": one.docs[0], "/many.snap": several.snapshot };
  several.docs.forEach((bytes, file) => (files[`/many.snap.docs.${file}`] = bytes));
  const server = await serveRanges(files, how);
  servers.push(server);
  return server;
}

async function assertSameAnswers(engine) {
  for (const query of QUERIES) {
    for (const options of OPTIONS) {
      assert.deepEqual(untimed(await engine.search(query, options)), untimed(whole.searchSync(query, options)));
    }
    const expression = query.split(" ")[0];
    const rows = await engine.withDocuments(() => engine.match(expression, HIGHLIGHT));
    assert.deepEqual(rows, whole.match(expression, HIGHLIGHT));
  }
}

describe("a split snapshot on a server with ranges", () => {
  for (const name of ["one", "many"]) {
    it(`answers like the whole snapshot, with ${name} file${name === "one" ? "" : "s"} beside it`, async () => {
      const { address, counted } = await serve();
      const engine = await opened(`${address}/${name}.snap?version=3#part`);
      assert.equal(counted.requests, 0, "opening must not fetch documents");
      await assertSameAnswers(engine);
      const docs = (name === "one" ? one : several).docs.reduce((sum, bytes) => sum + bytes.length, 0);
      assert.ok(counted.bytes <= docs, `${counted.bytes} of ${docs} bytes: a block came twice`);
    });
  }

  it("fetches only the blocks that a search needs, and each once", async () => {
    const { address, counted } = await serve();
    const engine = await opened(fetch(`${address}/one.snap`));
    const { hits } = await engine.search("rollback", { limit: 1 });
    assert.equal(hits.length, 1);
    assert.equal(counted.requests, 1);
    assert.ok(counted.bytes < one.docs[0].length / 3, `${counted.bytes} of ${one.docs[0].length} bytes`);
    await engine.search("rollback", { limit: 1 });
    engine.searchSync("rollback", { limit: 1 });
    assert.equal(counted.requests, 1);
    assert.ok(engine.searchSync("incident", { snippet: { tokens: 0 } }).hits.length > 0);
    assert.equal(counted.requests, 1, "ranking must not need documents");
  });

  it("fetches several ranges at once, and none twice for concurrent searches", async () => {
    const { address, counted } = await serve();
    const engine = await opened(`${address}/many.snap`);
    const all = QUERIES.flatMap((query) => [query, query]);
    const answers = await Promise.all(all.map((query) => engine.search(query)));
    assert.deepEqual(answers.map(untimed), all.map((query) => untimed(whole.searchSync(query))));
    assert.ok(counted.most > 1, "requests must overlap");
    const docs = several.docs.reduce((sum, bytes) => sum + bytes.length, 0);
    assert.ok(counted.bytes <= docs, `${counted.bytes} of ${docs} bytes`);
  });

  it("caches as many bytes as `docsCache` says", async () => {
    const { address, counted } = await serve();
    const engine = await opened(`${address}/one.snap`, { docsCache: 0 });
    await engine.search("incident");
    const { requests } = counted;
    await engine.search("incident");
    assert.equal(counted.requests, 2 * requests);
    assert.throws(() => engine.searchSync("incident"), { code: "documents/missing" });
  });

  it("tells the caller of a synchronous call what to do", async () => {
    const { address } = await serve();
    const engine = await opened(`${address}/one.snap`);
    const missing = { name: "SnapseekError", code: "documents/missing", message: /use search\(\), or withDocuments/ };
    assert.throws(() => engine.searchSync("incident"), missing);
    assert.throws(() => engine.match("incident", HIGHLIGHT), missing);
    assert.throws(() => engine.snapshot(), missing);
    assert.throws(() => engine.verify(), missing);
    engine.verify({ checksumsOnly: true });
  });

  it("takes writes, and becomes whole again", async () => {
    const { address } = await serve();
    const engine = await opened(`${address}/many.snap`, { docsCache: 1000 });
    const twin = await opened(whole.snapshot());
    for (const each of [engine, twin]) {
      each.add([{ id: "new", title: "A rollback of my own", body: "written here" }]);
      each.remove(["first-deploy", "nobody"]);
    }
    assert.deepEqual(untimed(await engine.search("rollback")), untimed(twin.searchSync("rollback")));
    assert.deepEqual(await engine.withDocuments(() => engine.snapshot()), twin.snapshot());
    await engine.withDocuments(() => engine.verify());
    const again = await opened(`${address}/one.snap`);
    again.apply(engine.changes());
    assert.deepEqual(untimed(await again.search("rollback")), untimed(twin.searchSync("rollback")));
  });

  it("stops waiting when the signal aborts, and works afterwards", async () => {
    const { address } = await serve();
    const engine = await opened(`${address}/one.snap`);
    const control = new AbortController();
    const stopped = engine.withDocuments(() => engine.searchSync("incident"), { signal: control.signal });
    control.abort();
    await assert.rejects(stopped, { name: "AbortError" });
    assert.deepEqual(untimed(await engine.search("incident")), untimed(whole.searchSync("incident")));
  });

  it("rejects a search whose engine is freed while it fetches", async () => {
    const { address } = await serve();
    const engine = await open(`${address}/one.snap`);
    const searched = engine.search("incident");
    engine.free();
    await assert.rejects(searched, { code: "engine/freed" });
  });
});

describe("a server without ranges", () => {
  it("is an error that names the remedy", async () => {
    const { address } = await serve("whole");
    const engine = await opened(`${address}/one.snap`);
    await assert.rejects(engine.search("incident"), { code: "documents/no-ranges", message: /onMissingRanges: "download"/ });
    assert.ok((await engine.search("incident", { snippet: { tokens: 0 } })).hits.length > 0);
  });

  it("is asked once per file with `onMissingRanges: \"download\"`", async () => {
    const { address, counted } = await serve("whole");
    const engine = await opened(`${address}/many.snap`, { onMissingRanges: "download" });
    await Promise.all(QUERIES.map((query) => engine.search(query, { limit: 30 })));
    await assertSameAnswers(engine);
    assert.ok(counted.requests <= several.docs.length, `${counted.requests} requests`);
  });
});

describe("documents from elsewhere", () => {
  it("are fetched for memory.search, with and without embedding", async () => {
    const whole = await build([], "memory");
    await whole.memory.create({ content: "Deploy by make release" }, "p");
    await whole.memory.create({ content: "React with TypeScript" }, "p");
    const { snapshot, docs } = whole.splitSnapshot();
    const engine = await opened(snapshot, { docs: new Blob([docs[0]]) });
    for (const mode of ["keyword", "hybrid"]) {
      const options = { query: "deploy", projectId: "p", mode, track: false };
      // Scores decay from one call to the next, so only records and highlights are compared.
      const shown = ({ results }) => results.map(({ memory, highlights }) => [memory, highlights]);
      const found = shown(await engine.memory.search(options));
      assert.equal(found[0][0].content, "Deploy by make release", mode);
      assert.deepEqual(found, shown(await whole.memory.search(options)), mode);
    }
    whole.free();
  });

  it("are fetched for searches of rag and unified that need no vector", async () => {
    const whole = await build([{ id: 1, kind: "observation", title: "moved the ledger" }], "rag");
    await whole.rag.index([{ sourceType: "note", sourceId: 1, body: "the ledger has one writer" }]);
    const { snapshot, docs } = whole.splitSnapshot();
    const embed = () => assert.fail("nothing must be embedded");
    const searches = {
      rag: ({ rag }) => rag.search({ query: "ledger", mode: "fts" }),
      words: ({ unified }) => unified.search({ query: "ledger" }),
      filters: ({ unified }) => unified.search({ embed }),
    };
    for (const [name, search] of Object.entries(searches)) {
      const engine = await opened(snapshot, { docs: new Blob([docs[0]]) });
      const { results, hits = results } = await search(engine);
      const { results: expected, hits: wanted = expected } = await search(whole);
      assert.ok(wanted.length > 0, name);
      assert.deepEqual(hits.map(({ id }) => id), wanted.map(({ id }) => id), name);
    }
    whole.free();
  });

  it("are fetched for the other calls of memory", async () => {
    const whole = await build([], "memory");
    const { id } = await whole.memory.create({ content: "Deploy by make release" }, "p");
    await whole.memory.create({ content: "React with TypeScript" }, "p");
    await whole.memory.linkToSession(id, "s", "recalled");
    const { snapshot, docs } = whole.splitSnapshot();
    const asked = {
      words: async ({ memory }) => (await memory.searchFts("deploy", "p")).results.map(({ memoryId }) => memoryId),
      timeline: async ({ memory }) => (await memory.timeline(id)).anchor.id,
      session: async ({ memory }) => (await memory.sessionContext(id)).usageType,
      reinforced: async ({ memory }) => (await memory.reinforce(id)) > 0,
      deemphasized: async ({ memory }) => (await memory.deemphasize(id)) > 0,
      deleted: async ({ memory }) => memory.delete(id),
    };
    for (const [name, ask] of Object.entries(asked)) {
      const engine = await opened(snapshot, { docs: new Blob([docs[0]]) });
      assert.deepEqual(await ask(engine), await ask(whole), name);
    }
    whole.free();
  });

  it("are fetched for sources that rag indexed before", async () => {
    const source = { sourceType: "note", sourceId: 1, body: "the ledger has one writer" };
    const whole = await build([], "rag");
    await whole.rag.index([source]);
    const { snapshot, docs } = whole.splitSnapshot();
    whole.free();
    for (const embed of [undefined, async (texts) => texts.map(() => [1, 0])]) {
      const engine = await opened(snapshot, { docs: new Blob([docs[0]]) });
      const { skipped } = await engine.rag.index([source], { embed });
      assert.equal(skipped, 1);
    }
  });

  it("may be blobs, one or several", async () => {
    const single = await opened(one.snapshot, { docs: new Blob([one.docs[0]]) });
    await assertSameAnswers(single);
    const many = await opened(new Blob([several.snapshot]), { docs: several.docs.map((bytes) => new Blob([bytes])) });
    await assertSameAnswers(many);
    await assert.rejects(open(several.snapshot, { docs: new Blob([]) }), { code: "option/docs", message: /and 1 were given/ });
  });

  it("may be files beside the snapshot", async () => {
    const folder = await mkdtemp(join(tmpdir(), "snapseek-"));
    try {
      const path = join(folder, "what?.snap");
      await writeFile(path, several.snapshot);
      await Promise.all(several.docs.map((bytes, file) => writeFile(`${path}.docs.${file}`, bytes)));
      for (const place of [path, pathToFileURL(path)]) {
        const engine = await opened(place);
        await assertSameAnswers(engine);
      }
      await rm(`${path}.docs.0`);
      const engine = await opened(path);
      await assert.rejects(engine.withDocuments(() => engine.snapshot()), { code: "source/failed", message: /ENOENT/ });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("are fetched for every call of an engine in a worker", async () => {
    const entry = fileURLToPath(new URL("../../pkg/worker-node.cjs", import.meta.url));
    const script = `require(${JSON.stringify(entry)}).expose(require("node:worker_threads").parentPort)`;
    const worker = new Worker(script, { eval: true });
    try {
      const { address } = await serve();
      const ways = [
        [`${address}/many.snap`],
        [fetch(`${address}/one.snap`)],
        [one.snapshot.slice(), { docs: new URL(`${address}/one.snap.docs`) }],
        [one.snapshot.slice(), { docs: new Blob([one.docs[0]]) }],
      ];
      for (const [source, options] of ways) {
        const engine = await openInWorker(worker, source, options);
        assert.deepEqual(untimed(await engine.search("incident")), untimed(whole.searchSync("incident")));
        assert.deepEqual(await engine.match("rollback", HIGHLIGHT), whole.match("rollback", HIGHLIGHT));
        assert.deepEqual(await engine.record("first-deploy"), whole.record("first-deploy"));
        await engine.free();
      }
    } finally {
      await worker.terminate();
    }
  });

  it("must be named if the snapshot has no address", async () => {
    const engine = await opened(one.snapshot);
    await assert.rejects(engine.search("incident"), { code: "documents/no-source", message: /open\(source, \{ docs \}\)/ });
  });
});

describe("documents that do not belong to the snapshot", () => {
  const refused = async (docs, code) => {
    const engine = await opened(one.snapshot, { docs });
    await assert.rejects(engine.search("incident"), (error) => error instanceof SnapseekError && error.code === code);
  };

  it("are refused, block by block", async () => {
    const altered = one.docs[0].slice();
    for (let at = 16; at < altered.length; at += 50) altered[at] ^= 1;
    await refused(new Blob([altered]), "documents/foreign");
    await refused(new Blob([one.docs[0].subarray(0, 20)]), "documents/foreign");
    await refused(new Blob([]), "documents/foreign");
  });

  it("are refused from a server", async () => {
    const { address } = await serve("wrong");
    await refused(`${address}/one.snap.docs`, "documents/foreign");
    await refused(`${address}/nothing`, "source/failed");
    await refused("http://127.0.0.1:9/one.snap.docs", "source/failed");
    const short = await serveRanges({ "/a.docs": one.docs[0].subarray(0, 10) });
    servers.push(short);
    await refused(`${short.address}/a.docs`, "documents/foreign");
  });
});
