// Loads the module and the snapshot from every kind of source, with progress, aborts and failures.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SnapseekError, build, open } from "../../pkg/node.js";

const PACKAGE = new URL("../../pkg/", import.meta.url);
const GOLDEN = new URL("../../tests/golden/", import.meta.url);
/** A folder where a file should be. */
const FOLDER = fileURLToPath(GOLDEN).slice(0, -1);
const snapshot = new Uint8Array(await readFile(new URL("v2.snap", GOLDEN)));

/** Runs a script in a new process, because each process loads the module once. Returns its output. */
async function inProcess(script, { entry = new URL("node.js", PACKAGE).href, flags = [] } = {}) {
  const source = `
    import { readFile } from "node:fs/promises";
    const { SnapseekError, build, open } = await import(${JSON.stringify(entry)});
    const file = new URL(${JSON.stringify(new URL("snapseek.wasm", PACKAGE).href)});
    ${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--input-type=module", "-e", source]);
  return stdout.trim();
}

describe("the module comes from", () => {
  const sources = {
    "a file URL": "file",
    "a path": "file.pathname",
    "a file URL as a string": "file.href",
    bytes: "await readFile(file)",
    "a promise of bytes": "readFile(file)",
    "a Response with its type": 'new Response(await readFile(file), { headers: { "content-type": "application/wasm" } })',
    "a Response without": "new Response(await readFile(file))",
    "a compiled module": "await WebAssembly.compile(await readFile(file))",
  };
  for (const [name, source] of Object.entries(sources)) {
    it(name, async () => {
      const found = await inProcess(`
        const engine = await build([{ id: 1, title: "fox" }], undefined, { wasm: ${source} });
        console.log(engine.searchSync("fox").hits[0].id);`);
      assert.equal(found, "1");
    });
  }

  it("nowhere: the error says why, and the next call may name another place", async () => {
    const found = await inProcess(`
      const codes = [];
      const answers = [
        new Response("<!doctype html>", { headers: { "content-type": "text/html; charset=utf-8" } }),
        new Response("", { status: 404 }),
        new Uint8Array(8),
        "/no/such/file.wasm",
      ];
      for (const wasm of answers) {
        await build([], undefined, { wasm }).catch((error) => {
          codes.push(error instanceof SnapseekError && error.cause instanceof Error && error.code, error.message);
        });
      }
      console.log(JSON.stringify([...codes, (await build([{ id: 1, title: "fox" }])).length]));`);
    const [html, ofHtml, missing, ofMissing, wrong, ofWrong, nowhere, ofNowhere, length] = JSON.parse(found);
    assert.deepEqual(new Set([html, missing, wrong, nowhere]), new Set(["wasm/failed"]));
    assert.match(ofHtml, /answered 200 text\/html/);
    assert.match(ofMissing, /answered 404/);
    assert.match(ofWrong, /could not be loaded: .*WebAssembly/);
    assert.match(ofNowhere, /ENOENT/);
    assert.equal(length, 1);
  });

  it("the inline script, if the file is missing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "snapseek-"));
    try {
      await cp(fileURLToPath(PACKAGE), folder, { recursive: true, filter: (path) => !path.endsWith(".wasm") });
      for (const entry of ["node.js", "node.cjs", "inline.js", "inline.cjs"]) {
        const script = 'console.log((await build([{ id: 1, title: "fox" }])).length)';
        assert.equal(await inProcess(script, { entry: join(folder, entry) }), "1", entry);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("one place once, for all concurrent calls", async () => {
    const found = await inProcess(`
      const { compile } = WebAssembly;
      let count = 0;
      WebAssembly.compile = (bytes) => ((count += 1), compile(bytes));
      await Promise.all([1, 2, 3].map((id) => build([{ id, title: "fox" }])));
      console.log(count);`);
    assert.equal(found, "1");
  });

  it("a file, in a process without eval", async () => {
    const script = 'console.log((await build([{ id: 1, title: "fox" }])).searchSync("fox").hits.length)';
    assert.equal(await inProcess(script, { flags: ["--disallow-code-generation-from-strings"] }), "1");
  });
});

describe("the search-only package", () => {
  /** Returns the length of each module that was compiled, and the search result. `before` runs before the import. */
  const tried = async (before, folder = PACKAGE) => {
    const script = `
      const { compile, Instance } = WebAssembly;
      const lengths = [];
      WebAssembly.compile = (bytes) => (lengths.push(bytes.byteLength), compile(bytes));
      ${before}
      const { open } = await import(${JSON.stringify(new URL("search-node.js", folder).href)});
      const engine = await open(${JSON.stringify(fileURLToPath(new URL("v2.snap", GOLDEN)))});
      console.log(JSON.stringify({ lengths, found: engine.match("fox").length, writes: "add" in engine }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    return JSON.parse(stdout);
  };
  const lengthOf = async (name) => (await readFile(new URL(name, PACKAGE))).length;
  // The module that tests for SIMD is the only one without imports. Here it computes a wrong result.
  const WITHOUT_SIMD = "WebAssembly.Instance = function (module, imports) { return imports ? new Instance(module, imports) : { exports: { f: () => 29 } }; };";

  it("has its own module", async () => {
    const { lengths, found, writes } = await tried("");
    assert.deepEqual(lengths, [await lengthOf("snapseek-search.wasm")]);
    assert.ok(found > 0);
    assert.equal(writes, false);
  });

  it("uses the plain full module without SIMD, and finds the same", async () => {
    const { lengths, ...answer } = await tried(WITHOUT_SIMD);
    assert.deepEqual(lengths, [await lengthOf("snapseek.plain.wasm")]);
    assert.deepEqual({ lengths: [await lengthOf("snapseek-search.wasm")], ...answer }, await tried(""));
  });

  it("uses the inline script of the full module if there are no files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "snapseek-"));
    try {
      await cp(fileURLToPath(PACKAGE), folder, { recursive: true, filter: (path) => !path.endsWith(".wasm") });
      const { lengths, ...answer } = await tried("", new URL(`file://${folder}/`));
      assert.deepEqual(lengths, [await lengthOf("snapseek.wasm")]);
      assert.deepEqual({ lengths: [await lengthOf("snapseek-search.wasm")], ...answer }, await tried(""));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("works beside the full package, each with its own module", async () => {
    const { open: openToSearch } = await import("../../pkg/search-node.js");
    const searcher = await openToSearch(snapshot);
    const engine = await build([{ id: 1, title: "fox" }]);
    assert.ok(searcher.match("fox").length > 0);
    await engine.add([{ id: 2, title: "fox" }]);
    assert.equal(engine.match("fox").length, 2);
    searcher.free();
    engine.free();
  });
});

/** Makes a stream of a snapshot in pieces, and records whether it was cancelled. */
function arriving(bytes, { size = 1000, end = (controller) => controller.close() } = {}) {
  const state = { isCancelled: false };
  let start = 0;
  state.stream = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      if (start >= bytes.length) return end(controller);
      controller.enqueue(bytes.slice(start, (start += size)));
    },
    cancel: () => void (state.isCancelled = true),
  });
  return state;
}

describe("a snapshot that arrives in pieces", () => {
  it("reports the number of bytes received", async () => {
    const told = [];
    const response = new Response(arriving(snapshot).stream, { headers: { "content-length": String(snapshot.length) } });
    const engine = await open(response, { onProgress: (progress) => told.push(progress) });
    assert.deepEqual(engine.snapshot(), snapshot);
    assert.equal(told.length, Math.ceil(snapshot.length / 1000));
    assert.deepEqual(told[1], { loaded: 2000, total: snapshot.length });
    assert.deepEqual(told.at(-1), { loaded: snapshot.length, total: snapshot.length });
  });

  it("may be longer than content-length if it is encoded", async () => {
    const told = [];
    const headers = { "content-length": "3", "content-encoding": "gzip" };
    const engine = await open(new Response(arriving(snapshot).stream, { headers }), { onProgress: (progress) => told.push(progress) });
    assert.equal(engine.length, 11);
    assert.deepEqual(told.at(-1), { loaded: snapshot.length });
  });

  it("is too large if content-length exceeds the memory", async () => {
    const { stream } = arriving(snapshot);
    await assert.rejects(open(new Response(stream, { headers: { "content-length": "5000000000" } })), { code: "snapshot/too-large" });
  });

  it("fails with the error of its source as the cause", async () => {
    const cause = new TypeError("the line went dead");
    const { stream } = arriving(snapshot.subarray(0, 3000), { end: (controller) => controller.error(cause) });
    const error = await open(stream).then(assert.fail, (error) => error);
    assert.ok(error instanceof SnapseekError);
    assert.deepEqual([error.code, error.cause], ["source/failed", cause]);
  });

  it("is rejected if it is not a snapshot", async () => {
    const { stream } = arriving(new Uint8Array(5000));
    await assert.rejects(open(stream), { code: "snapshot/not-a-snapshot" });
  });

  it("stops when the signal aborts, and cancels the source", async () => {
    const controller = new AbortController();
    const source = arriving(snapshot, { size: 10 });
    const opening = open(source.stream, { signal: controller.signal, onProgress: ({ loaded }) => loaded > 100 && controller.abort() });
    await assert.rejects(opening, { name: "AbortError" });
    assert.ok(source.isCancelled);
    const waiting = new AbortController();
    const never = open(new Promise(() => {}), { signal: waiting.signal });
    waiting.abort(new Error("enough"));
    await assert.rejects(never, { message: "enough" });
  });

  it("is read from a file, which is then closed", async () => {
    const script = `
      const { readdir } = await import("node:fs/promises");
      const files = async () => {
        // Files are closed in the background.
        await new Promise((resolve) => setTimeout(resolve, 50));
        return (await readdir("/proc/self/fd")).length;
      };
      const path = ${JSON.stringify(fileURLToPath(new URL("v2.snap", GOLDEN)))};
      (await open(path)).free();
      const before = await files();
      for (let i = 0; i < 20; i++) (await open(path)).free();
      for (let i = 0; i < 20; i++) (await open(path, { load: "ranges" })).free();
      for (let i = 0; i < 20; i++) {
        await open(path, { onProgress: () => { throw new Error("mine"); } }).catch(() => {});
        await open(${JSON.stringify(FOLDER)}).catch(() => {});
        await open(${JSON.stringify(FOLDER)}, { load: "ranges" }).catch(() => {});
      }
      console.log((await files()) - before);`;
    assert.equal(await inProcess(script), "0");
    await assert.rejects(open(FOLDER), { code: "source/failed", message: /EISDIR/ });
  });
});

describe("a build", () => {
  const notes = Array.from({ length: 1000 }, (_, id) => ({ id, title: `note ${id}` }));

  it("reports the number of records read", async () => {
    const last = async (records) => {
      const told = [];
      (await build(records, undefined, { onProgress: (progress) => told.push(progress) })).free();
      assert.ok(told.length > 1);
      return told.at(-1);
    };
    assert.deepEqual(await last(notes), { records: 1000, total: 1000 });
    assert.deepEqual(await last(new Set(notes)), { records: 1000, total: 1000 });
    assert.deepEqual(await last(notes.values()), { records: 1000 });
    const long = notes.map(({ id }) => JSON.stringify({ id, title: "word ".repeat(100) })).join("\n");
    assert.deepEqual(await last(long), { records: 1000 });
  });

  it("gives the same bytes for every batch size", async () => {
    const lines = notes.map((note) => JSON.stringify({ ...note, body: "word ".repeat(100) }));
    const [fromText, fromObjects] = [await build(lines.join("\n")), await build(lines.map((line) => JSON.parse(line)))];
    assert.deepEqual(fromText.snapshot(), fromObjects.snapshot());
  });

  it("names the faulty record in any batch", async () => {
    await assert.rejects(build([...notes, { title: "no id" }]), { code: "record/missing-id", message: /^records\[1000\]: / });
    const long = Array.from({ length: 3000 }, (_, id) => JSON.stringify({ id, title: "word ".repeat(20) }));
    await assert.rejects(build([...long, "nonsense"].join("\n")), { code: "record/not-json", message: /^line 3001: / });
  });

  it("stops when the signal aborts, and lets timers run", async () => {
    const controller = new AbortController();
    let turns = 0;
    const ticking = setInterval(() => ++turns === 3 && controller.abort(new Error("enough")), 1);
    function* endless() {
      for (let id = 0; ; id++) yield { id, title: `note ${id}` };
    }
    try {
      await assert.rejects(build(endless(), undefined, { signal: controller.signal }), { message: "enough" });
    } finally {
      clearInterval(ticking);
    }
    assert.equal(turns, 3);
  });
});
