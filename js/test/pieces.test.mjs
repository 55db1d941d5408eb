// Snapshots that are read in pieces: from servers that answer ranges, or lie about them, from files, blobs and other storage.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { SnapseekError, build, open } from "../../pkg/node.js";
import { open as openToSearch } from "../../pkg/search-node.js";
import { openInWorker } from "../../pkg/worker-node.js";
import { serveLies } from "./lying-server.mjs";
import { untimed } from "./untimed.mjs";

const schema = {
  fields: { title: { weight: 4 }, body: {} },
  attributes: { topic: "keyword", size: "number" },
  forms: true,
};
const HIGHLIGHT = { highlight: { column: "body", open: "[", close: "]" }, limit: 4 };
const OPTIONS = [{}, { records: true, limit: 3 }, { asYouType: true, typos: 1, facets: ["topic"], count: true }];
/** More than fits into the memory that a test allows. */
const RECORDS = 4000;

/** A pseudo-random generator with a fixed seed. */
function generator(seed) {
  let state = seed;
  const below = (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % end;
  };
  // Words with small numbers are much more frequent.
  const word = () => `w${((below(below(3000) + 1) * 40503) & 0xffff).toString(36)}`;
  const text = (words) => Array.from({ length: words }, word).join(" ");
  return { below, word, text };
}

let whole;
let snapshot;
const engines = [];
const servers = [];

before(async () => {
  const { below, text } = generator(7);
  const records = Array.from({ length: RECORDS }, (_, id) => ({
    id: `r${id}`, title: text(4), body: text(50), topic: `t${below(9)}`, size: below(1000),
  }));
  whole = await build(records, schema);
  snapshot = whole.snapshot();
});
after(async () => {
  whole.free();
  await Promise.all(servers.map((server) => server.stop()));
});
afterEach(() => engines.splice(0).forEach((engine) => engine.free()));

/** Opens an engine that `afterEach` frees. */
async function opened(...args) {
  const engine = await open(...args);
  engines.push(engine);
  return engine;
}

async function serve(...args) {
  const server = await serveLies(snapshot, ...args);
  servers.push(server);
  return server;
}

async function assertSameAnswers(engine, rounds = 6) {
  const { word, text } = generator(11);
  for (let round = 0; round < rounds; round++) {
    const query = text(3);
    for (const options of OPTIONS) {
      assert.deepEqual(untimed(await engine.search(query, options)), untimed(whole.searchSync(query, options)), query);
    }
    const expression = `"${word()} ${word()}" OR ${word()} OR ${word().slice(0, 2)}*`;
    assert.deepEqual(await engine.withDocuments(() => engine.match(expression, HIGHLIGHT)), whole.match(expression, HIGHLIGHT));
    assert.deepEqual(await engine.withDocuments(() => engine.suggest("w1")), whole.suggest("w1"));
    const id = `r${round * 500}`;
    assert.deepEqual(await engine.withDocuments(() => engine.record(id)), whole.record(id));
  }
}

describe("a snapshot on a server with ranges", () => {
  it("answers like the whole one, and transfers a fraction of it", async () => {
    const server = await serve();
    const engine = await opened(server.url);
    assert.equal(engine.transfer.load, "ranges");
    const { bytes: ofOpen, requests } = engine.transfer;
    assert.ok(ofOpen <= 140_000 && requests <= 2, `${ofOpen} bytes in ${requests} requests`);
    assert.equal(engine.length, RECORDS);
    assert.deepEqual(engine.schema(), whole.schema());
    await assertSameAnswers(engine);
    assert.equal(engine.transfer.bytes, server.bytes);
    assert.equal(engine.transfer.requests, server.requests.length);
    assert.ok(server.bytes < snapshot.length, `${server.bytes} of ${snapshot.length} bytes`);
    assert.ok(server.requests.slice(1).every(({ headers }) => headers["if-range"] === '"1"'));
  });

  it("needs at most three rounds of requests for a plain search, and none for the same again", async () => {
    const { text } = generator(5);
    for (let round = 0; round < 5; round++) {
      const server = await serve();
      const engine = await opened(server.url);
      const before = server.requests.length;
      const query = text(3);
      await engine.search(query);
      assert.ok(engine.transfer.rounds <= 3, `${query}: ${engine.transfer.rounds} rounds`);
      const { requests } = engine.transfer;
      assert.ok(requests - before <= 30, `${query}: ${requests - before} requests`);
      await engine.search(query);
      engine.searchSync(query);
      assert.equal(engine.transfer.requests, requests);
    }
  });

  it("is asked for several ranges at once, and for none twice by concurrent searches", async () => {
    const server = await serve();
    const engine = await opened(server.url);
    const { text } = generator(9);
    const query = text(3);
    const answers = await Promise.all([1, 2, 3].map(() => engine.search(query)));
    for (const answer of answers) assert.deepEqual(untimed(answer), untimed(whole.searchSync(query)));
    const ranges = server.requests.map(({ range }) => range.join("-"));
    assert.equal(new Set(ranges).size, ranges.length, "a range was asked for twice");
    assert.ok(server.most > 1 && server.most <= 6, `${server.most} requests at once`);
  });

  it("follows redirects", async () => {
    const { address } = await serve();
    const engine = await opened(`${address}/moved.snap`);
    assert.equal(engine.transfer.load, "ranges");
    await assertSameAnswers(engine, 1);
  });

  it("takes writes, and becomes whole again", async () => {
    const { url } = await serve();
    const engine = await opened(url);
    const twin = await opened(snapshot);
    const records = [{ id: "new", title: "quite new", body: "w0" }, { id: "r7", title: "changed" }];
    await engine.withDocuments(() => engine.add(records));
    await engine.withDocuments(() => engine.remove(["r5", "nobody"]));
    twin.add(records);
    twin.remove(["r5", "nobody"]);
    for (const query of ["new", "changed w0"]) {
      assert.deepEqual(untimed(await engine.search(query)), untimed(twin.searchSync(query)));
    }
    assert.deepEqual(await engine.withDocuments(() => engine.snapshot()), twin.snapshot());
    const third = await opened(snapshot);
    third.apply(await engine.withDocuments(() => engine.changes()));
    assert.deepEqual(third.snapshot(), twin.snapshot());
    await engine.withDocuments(() => engine.verify());
  });

  it("adds records of a generator once, although the call is repeated", async () => {
    const engine = await opened(snapshot, { load: "ranges" });
    const records = function* () {
      yield { id: "new", title: "quite new" };
      yield { id: "r7", title: "changed" };
    };
    assert.equal(engine.add(records()).added, 2);
    assert.equal(engine.length, RECORDS + 1);
    assert.equal(engine.record("r7").title, "changed");
  });

  it("tells the caller of a synchronous call what to do", async () => {
    const { url } = await serve();
    const engine = await opened(url);
    const missing = { name: "SnapseekError", code: "snapshot/not-loaded", message: /withDocuments\(\(\) => engine\.match\(/ };
    assert.throws(() => engine.match("w0"), missing);
    assert.throws(() => engine.searchSync("w0"), missing);
    assert.throws(() => engine.record("r7"), missing);
    assert.throws(() => engine.snapshot(), missing);
    assert.throws(() => engine.verify(), missing);
  });

  it("keeps within its memory budget", async () => {
    const { url } = await serve();
    const cache = 120_000;
    const engine = await opened(url, { cache });
    const { inMemory } = engine.transfer;
    const { text } = generator(3);
    for (let round = 0; round < 20; round++) {
      const query = text(3);
      assert.deepEqual(untimed(await engine.search(query)), untimed(whole.searchSync(query)));
      assert.ok(engine.transfer.inMemory <= inMemory + cache, `${engine.transfer.inMemory} bytes`);
    }
  });

  it("is read whole if it is small, or has the first format", async () => {
    const small = await build([{ id: 1, title: "a fox" }]);
    const first = new Uint8Array(await readFile(new URL("../../tests/golden/v1.snap", import.meta.url)));
    for (const [bytes, load] of [[small.snapshot(), "auto"], [first, "auto"], [first, "ranges"]]) {
      const server = await serveLies(bytes);
      servers.push(server);
      const engine = await opened(server.url, { load });
      assert.equal(engine.transfer.load, "whole");
      assert.equal(server.requests.length, 1);
      engine.verify();
    }
    small.free();
  });

  it("is read whole, without a range request, if the caller says so", async () => {
    const server = await serve();
    const engine = await opened(server.url, { load: "whole" });
    assert.deepEqual(engine.transfer, { load: "whole", requests: 1, bytes: snapshot.length, rounds: 0, inMemory: snapshot.length });
    assert.equal(server.requests[0].range, undefined);
    engine.match("w0");
  });

  it("can be searched with the search-only module", async () => {
    const { url } = await serve();
    const engine = await openToSearch(url);
    assert.equal(engine.transfer.load, "ranges");
    assert.deepEqual(untimed(await engine.search("w0 w1")), untimed(whole.searchSync("w0 w1")));
    engine.free();
  });

  it("rejects a search whose engine is freed while it fetches, and aborts its requests", async () => {
    const server = await serve();
    const engine = await open(server.url);
    server.lie = () => "never";
    const searched = engine.search("w0 w1");
    await new Promise((resolve) => setTimeout(resolve, 50));
    engine.free();
    await assert.rejects(searched, { code: "engine/freed" });
    await until(() => server.open === 0);
  });
});

/** Waits until a condition holds; a test that waits too long fails. */
async function until(holds) {
  for (let waited = 0; !holds(); waited += 10) {
    assert.ok(waited < 2000, `still waiting for ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("a signal", () => {
  it("aborts the requests of a search that nobody waits for any more", async () => {
    const server = await serve();
    const engine = await opened(server.url);
    server.lie = () => "never";
    const control = new AbortController();
    const searched = engine.search("w0 w1", { signal: control.signal });
    await until(() => server.open > 0);
    control.abort(new Error("typing on"));
    await assert.rejects(searched, { message: "typing on" });
    await until(() => server.open === 0);
    server.lie = () => undefined;
    assert.deepEqual(untimed(await engine.search("w0 w1")), untimed(whole.searchSync("w0 w1")));
  });

  it("leaves the requests that another search waits for", async () => {
    const server = await serve();
    const engine = await opened(server.url);
    server.lie = () => "slow";
    const control = new AbortController();
    const first = engine.search("w0 w1", { signal: control.signal });
    const second = engine.search("w0 w1");
    await until(() => server.open > 0);
    control.abort();
    await assert.rejects(first, { name: "AbortError" });
    assert.deepEqual(untimed(await second), untimed(whole.searchSync("w0 w1")));
    assert.equal(server.aborted, 0);
  });

  it("cancels opening", async () => {
    const server = await serve();
    server.lie = () => "never";
    const signal = AbortSignal.timeout(30);
    await assert.rejects(open(server.url, { signal }), { name: "TimeoutError" });
    await until(() => server.open === 0);
  });
});

describe("a server", () => {
  const outcome = (lie, load) => async (check) => {
    const server = await serve();
    server.lie = lie;
    await check(open(server.url, { load }), server);
  };
  const isWhole = async (opening) => {
    const engine = await opening;
    engines.push(engine);
    assert.equal(engine.transfer.load, "whole");
    assert.deepEqual(engine.match("w0", HIGHLIGHT), whole.match("w0", HIGHLIGHT));
  };

  it("without ranges sends the whole file once", async () => {
    await outcome(() => "whole")(async (opening, server) => {
      await isWhole(opening);
      assert.equal(server.requests.length, 1);
    });
    await outcome(() => "whole", "ranges")((opening) => assert.rejects(opening, { code: "snapshot/no-ranges", message: /load: "whole"/ }));
  });

  it("that compresses ranges is asked for the whole file", async () => {
    const lie = (_, range) => (range ? "gzip" : undefined);
    await outcome(lie)(isWhole);
    await outcome(lie, "ranges")((opening) => assert.rejects(opening, { code: "snapshot/no-ranges", message: /content-encoding: gzip/ }));
  });

  it("that sends another range is asked for the whole file", async () => {
    const lie = (_, range) => (range ? "wrong" : undefined);
    await outcome(lie)(isWhole);
    await outcome(lie, "ranges")((opening) => assert.rejects(opening, { code: "snapshot/no-ranges", message: /answered "bytes 1-/ }));
  });

  it("that answers 404 is asked once", async () => {
    const { address } = await serve();
    await assert.rejects(open(`${address}/nothing`), { code: "source/failed", message: /answered 404/ });
  });

  it("that fails for a while is asked again", async () => {
    for (const lie of [503, 429, "short", "cut"]) {
      const server = await serve();
      const engine = await opened(server.url);
      const begun = server.requests.length;
      server.lie = (number) => (number < begun + 2 ? lie : undefined);
      assert.deepEqual(untimed(await engine.search("w0")), untimed(whole.searchSync("w0")), String(lie));
    }
  });

  it("that loses the connection while the head arrives is asked again", async () => {
    const server = await serve();
    server.lie = (number) => (number === 0 ? "cut" : undefined);
    await assertSameAnswers(await opened(server.url), 1);
  });

  it("that keeps failing or lying is an error, and works once it is well again", async () => {
    for (const lie of [503, "short", "long", "wrong", "gzip", 403]) {
      const server = await serve();
      const engine = await opened(server.url);
      server.lie = () => lie;
      await assert.rejects(engine.search("w0"), (error) => error instanceof SnapseekError && error.code === "source/failed", String(lie));
      server.lie = () => undefined;
      assert.deepEqual(untimed(await engine.search("w0")), untimed(whole.searchSync("w0")), String(lie));
    }
  });
});

describe("a file that is replaced under an open engine", () => {
  const changed = { name: "SnapseekError", code: "snapshot/changed", message: /open it again/ };
  let other;
  before(async () => {
    // The same length, but other bytes almost everywhere.
    other = snapshot.slice();
    for (let at = 1000; at < other.length; at += 100) other[at] ^= 1;
  });

  it("is noticed by a strong validator", async () => {
    for (const [before, after] of [[{ etag: '"1"' }, { etag: '"2"' }], [{ "last-modified": "Mon, 02 Nov 2026 10:00:00 GMT" }, { "last-modified": "Tue, 03 Nov 2026 10:00:00 GMT" }]]) {
      const server = await serve(before);
      const engine = await opened(server.url);
      server.headers = after;
      await assert.rejects(engine.search("w0"), changed);
      const again = await opened(server.url);
      assert.deepEqual(untimed(await again.search("w0")), untimed(whole.searchSync("w0")));
    }
  });

  it("is noticed by checksums if there is no strong validator", async () => {
    for (const headers of [{}, { etag: 'W/"1"' }]) {
      const server = await serve(headers);
      const engine = await opened(server.url);
      server.file = other;
      await assert.rejects(engine.search("w0"), changed);
      assert.ok(server.requests.every(({ headers }) => headers["if-range"] === undefined));
      server.file = snapshot;
      assert.deepEqual(untimed(await engine.search("w0")), untimed(whole.searchSync("w0")));
    }
  });

  it("is noticed by its length", async () => {
    const server = await serve({});
    const engine = await opened(server.url);
    server.file = Buffer.concat([snapshot, snapshot]);
    await assert.rejects(engine.search("w0"), changed);
    server.file = snapshot.subarray(0, 100_000);
    await assert.rejects(engine.search("w0"), changed);
  });

  it("is forgiven if a second request brings the right bytes", async () => {
    const server = await serve();
    const engine = await opened(server.url);
    const begun = server.requests.length;
    server.file = other;
    server.lie = (number) => void (number > begun && (server.file = snapshot));
    assert.deepEqual(untimed(await engine.search("w0")), untimed(whole.searchSync("w0")));
    assert.ok(server.requests.some(({ headers }) => headers["cache-control"] === "no-cache"));
  });

  it("is an error where the length contradicts the header", async () => {
    const server = await serve();
    server.file = snapshot.subarray(0, snapshot.length - 1);
    await assert.rejects(open(server.url), { code: "snapshot/wrong-length" });
  });
});

describe("pieces come from", () => {
  let folder;
  let path;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "snapseek-"));
    path = join(folder, "a b.snap");
    await writeFile(path, snapshot);
  });
  after(() => rm(folder, { recursive: true }));

  /** Synchronous calls work too. */
  async function assertSynchronous(engine) {
    assert.equal(engine.transfer.load, "ranges");
    assert.ok(engine.transfer.bytes < snapshot.length / 2);
    assert.deepEqual(engine.match("w0 OR w1", HIGHLIGHT), whole.match("w0 OR w1", HIGHLIGHT));
    assert.ok(engine.transfer.rounds > 0);
    await assertSameAnswers(engine, 2);
    assert.deepEqual(engine.snapshot(), snapshot);
    engine.verify();
  }

  it("a file in Node, which stays the same file if its name gets another", async () => {
    for (const place of [path, pathToFileURL(path)]) await assertSynchronous(await opened(place, { load: "ranges" }));
    const engine = await opened(path, { load: "ranges" });
    await writeFile(`${path}.new`, "something else");
    await rename(`${path}.new`, path);
    await assertSynchronous(engine);
    await writeFile(path, snapshot);
    await assert.rejects(open(`${path}.none`, { load: "ranges" }), { code: "source/failed", message: /ENOENT/ });
  });

  it("a file in Node that is larger than the memory budget", async () => {
    assert.equal((await opened(path)).transfer.load, "whole");
    assert.equal((await opened(path, { cache: 300_000 })).transfer.load, "ranges");
  });

  it("a buffer", async () => {
    for (const bytes of [snapshot, snapshot.slice().buffer, Buffer.from(snapshot)]) {
      await assertSynchronous(await opened(bytes, { load: "ranges" }));
    }
    assert.equal((await opened(snapshot)).transfer.load, "whole");
  });

  it("a blob", async () => {
    const blob = new Blob([snapshot]);
    const engine = await opened(blob, { load: "ranges" });
    assert.equal(engine.transfer.load, "ranges");
    await assertSameAnswers(engine, 2);
    assert.equal((await opened(blob)).transfer.load, "whole");
    assert.equal((await opened(blob, { cache: 300_000 })).transfer.load, "ranges");
  });

  it("storage of one's own, which answers later or at once", async () => {
    const read = (offset, length) => snapshot.subarray(offset, offset + length);
    const later = await opened({ read: async (offset, length) => read(offset, length), size: snapshot.length });
    assert.equal(later.transfer.load, "ranges");
    await assertSameAnswers(later, 2);
    await assertSynchronous(await opened({ read }));
    assert.equal((await opened({ read }, { load: "whole" })).transfer.load, "whole");
    const failing = await opened({ read: async (offset, length) => (offset === 0 ? read(offset, length) : Promise.reject(new Error("no such key"))) });
    await assert.rejects(failing.search("w0"), { code: "source/failed", message: /no such key/ });
    const short = await opened({ read: async (offset, length) => read(offset, offset === 0 ? length : length - 1) });
    await assert.rejects(short.search("w0"), { code: "source/failed", message: /bytes where/ });
  });

  it("neither a Response nor a stream", async () => {
    for (const source of [new Response(snapshot), new Blob([snapshot]).stream()]) {
      await assert.rejects(open(source, { load: "ranges" }), { code: "option/load" });
    }
    await assert.rejects(open(7, { load: "ranges" }), { code: "source/unknown" });
  });

  it("all of them in a worker, where every call waits for its pieces", async () => {
    const entry = fileURLToPath(new URL("../../pkg/worker-node.cjs", import.meta.url));
    const script = `require(${JSON.stringify(entry)}).expose(require("node:worker_threads").parentPort)`;
    const worker = new Worker(script, { eval: true });
    try {
      const { url } = await serve();
      const read = async (offset, length) => snapshot.slice(offset, offset + length);
      const sources = [url, path, snapshot.slice(), new Blob([snapshot]), { read }, { read, size: snapshot.length }];
      for (const source of sources) {
        const engine = await openInWorker(worker, source, { load: "ranges" });
        assert.equal((await engine.transfer).load, "ranges");
        assert.deepEqual(untimed(await engine.search("w0 w1")), untimed(whole.searchSync("w0 w1")));
        assert.deepEqual(await engine.match("w0", HIGHLIGHT), whole.match("w0", HIGHLIGHT));
        assert.deepEqual(await engine.record("r7"), whole.record("r7"));
        await engine.add([{ id: "new", title: "quite new" }]);
        assert.equal(await engine.length, RECORDS + 1);
        await engine.free();
      }
    } finally {
      await worker.terminate();
    }
  });

  it("both files of a split snapshot", async () => {
    const { snapshot: index, docs } = whole.splitSnapshot();
    const engine = await opened(new Blob([index]), { load: "ranges", docs: new Blob([docs[0]]) });
    await assertSameAnswers(engine, 2);
    assert.deepEqual(await engine.withDocuments(() => engine.snapshot()), snapshot);
  });
});
