// Stores in a real browser: pages that end, two at once, no room.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { chromium } from "playwright-core";
import { build } from "../../pkg/node.js";
import { CHROMIUM } from "./browser.mjs";
import { serve } from "./serve.mjs";

let server;
let browser;
let context;

before(async () => {
  const engine = await build([{ id: "base", title: "from the snapshot" }], { fields: { title: {} } });
  server = await serve(engine.snapshot());
  engine.free();
  browser = await chromium.launch(CHROMIUM);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});
// A context of its own is a profile of its own: nothing is stored yet.
beforeEach(async () => (context = await browser.newContext()));
afterEach(() => context.close());

/** A page with the package, and with `opened(where)`, which opens a store and its engine. */
async function visit() {
  const page = await context.newPage();
  await page.route("**/blank", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto(`${server.address}blank`);
  await page.evaluate(async () => {
    const { open } = await import("/pkg/web.js");
    const { persist } = await import("/pkg/persist.js");
    globalThis.fetched = 0;
    globalThis.store = (where) => persist("notes", { open, ...(where && { in: where }) });
    globalThis.opened = async (where) => {
      globalThis.kept = await globalThis.store(where);
      globalThis.engine = await globalThis.kept.open(() => (globalThis.fetched++, fetch("/demo.snap")));
      return globalThis.engine;
    };
    globalThis.all = () => globalThis.engine.match("from OR added").map((row) => row.id).sort();
    globalThis.save = async (...ids) => {
      globalThis.engine.add(ids.map((id) => ({ id, title: `added ${id}` })));
      await globalThis.kept.save(globalThis.engine);
    };
  });
  return page;
}

const found = async (where) => {
  const page = await visit();
  const ids = await page.evaluate(async (where) => (await opened(where), all()), where);
  await page.close();
  return ids;
};

for (const where of ["opfs", "indexeddb"]) {
  describe(`a store in ${where}`, () => {
    it("keeps a snapshot and its changes, until it is cleared", async () => {
      const first = await visit();
      const fetched = await first.evaluate(async (where) => {
        await opened(where);
        await save("a");
        await save("b");
        return globalThis.fetched;
      }, where);
      assert.equal(fetched, 1);
      await first.close();
      const second = await visit();
      assert.deepEqual(await second.evaluate(async (where) => (await opened(where), [all(), globalThis.fetched]), where), [
        ["a", "b", "base"],
        0,
      ]);
      const left = await second.evaluate(async () => {
        await kept.clear();
        const root = await navigator.storage.getDirectory();
        const folder = await root.getDirectoryHandle("snapseek", { create: true });
        const names = [];
        for await (const name of folder.keys()) names.push(name);
        return [names, (await indexedDB.databases()).map(({ name }) => name)];
      });
      assert.deepEqual(left, [[], []]);
      assert.deepEqual(await found(where), ["base"]);
    });

    it("is written by two pages at once, and the changes of both survive", async () => {
      const pages = await Promise.all([visit(), visit()]);
      await Promise.all(pages.map((page) => page.evaluate((where) => opened(where).then(() => {}), where)));
      const work = async (letter) => {
        for (let n = 0; n < 10; n++) await save(letter + n);
      };
      await Promise.all(pages.map((page, i) => page.evaluate(work, "xy"[i])));
      assert.equal((await found(where)).length, 21);
      await pages[0].evaluate(() => kept.save(engine));
      assert.equal(await pages[0].evaluate(() => all().length), 21, "and who saves sees those of the other");
    });

    it("keeps the later write of a record when another page saves after a compaction", async () => {
      const [first, second] = await Promise.all([visit(), visit()]);
      await first.evaluate(async (where) => (await opened(where), await save("x", "gone")), where);
      await second.evaluate(async (where) => (await opened(where), await save("y")), where);
      await first.evaluate(async () => {
        engine.add([{ id: "x", title: "added later" }]);
        engine.remove(["gone"]);
        globalThis.engine = await kept.compact(engine);
      });
      const seen = await second.evaluate(async () => (await kept.save(engine), [engine.record("x").title, all()]));
      assert.deepEqual(seen, ["added later", ["base", "x", "y"]]);
      const third = await visit();
      const read = await third.evaluate(async (where) => (await opened(where), [engine.record("x").title, all()]), where);
      assert.deepEqual(read, seen);
    });

    it("survives pages that end in the middle of a save", async () => {
      let saved = ["base"];
      const counts = { old: 0, new: 0 };
      for (let i = 0; i < 8; i++) {
        const page = await visit();
        const id = `n${i}`;
        // A large change, so that writing it takes a while.
        const isDone = page.evaluate(
          async ([where, id]) => {
            await opened(where);
            const title = Array.from({ length: 10_000 }, (_, n) => `added${(n * 7919) % 50_000}`).join(" ");
            engine.add([{ id, title: `added ${title}` }]);
            globalThis.isSaving = true;
            await kept.save(engine);
          },
          [where, id],
        );
        isDone.catch(() => {});
        await page.waitForFunction(() => globalThis.isSaving);
        await new Promise((resume) => setTimeout(resume, i * 10));
        await page.close();
        const now = await found(where);
        const isNew = now.includes(id);
        counts[isNew ? "new" : "old"]++;
        assert.deepEqual(now, isNew ? [...saved, id].sort() : saved, `round ${i}`);
        saved = now;
      }
      console.log(`${where}: ${counts.old} saves were cut off, ${counts.new} were done`);
    });

    it("tells that there is no room, and keeps what was saved before", async () => {
      const page = await visit();
      const session = await context.newCDPSession(page);
      // Before the first write: what Chromium has once found to be free, it believes for a while.
      await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(server.address).origin, quotaSize: 500_000 });
      await page.evaluate(async (where) => (await opened(where), await save("a")), where);
      const error = await page.evaluate(async () => {
        const text = Array.from({ length: 120_000 }, () => Math.random().toString(36).slice(2)).join(" ");
        engine.add([{ id: "large", title: `added ${text}` }]);
        return kept.save(engine).catch(({ name, code, message, cause }) => ({ name, code, message, cause: cause?.name }));
      });
      assert.deepEqual([error?.name, error?.code, error?.cause], ["SnapseekError", "persist/quota", "QuotaExceededError"]);
      assert.match(error.message, /no room left; what was saved before is still there/);
      assert.deepEqual(await found(where), ["a", "base"]);
      await page.evaluate(async () => (engine.remove(["large"]), await save("b")));
      assert.deepEqual(await found(where), ["a", "b", "base"], "and what there is room for can still be saved");
    });
  });
}

describe("a page", () => {
  it("has its store in the origin private file system, unless it says otherwise", async () => {
    const page = await visit();
    await page.evaluate(async () => (await opened(), await save("a")));
    assert.deepEqual(await found("opfs"), ["a", "base"]);
    assert.deepEqual(await found("indexeddb"), ["base"]);
    const code = await page.evaluate(() => store("file").catch((error) => error.code));
    assert.equal(code, "persist/unavailable");
  });

  it("writes in place where files cannot be replaced, in workers, and says so elsewhere", async () => {
    const script = `
      delete FileSystemFileHandle.prototype.createWritable;
      onmessage = async ({ data }) => {
        const [{ open }, { persist }] = await Promise.all([import("/pkg/web.js"), import("/pkg/persist.js")]);
        const store = await persist("notes", { open });
        const engine = await store.open(() => fetch("/demo.snap"));
        for (const id of data) {
          engine.add([{ id, title: "added" }]);
          await store.save(engine);
        }
        postMessage("done");
      };`;
    const page = await visit();
    await page.route("**/worker.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }));
    await page.evaluate(async () => {
      const worker = new Worker("/worker.js", { type: "module" });
      worker.postMessage(["a", "b"]);
      await new Promise((resolve, reject) => Object.assign(worker, { onmessage: resolve, onerror: reject }));
      worker.terminate();
    });
    assert.deepEqual(await found("opfs"), ["a", "b", "base"]);
    const answers = await page.evaluate(async () => {
      delete FileSystemFileHandle.prototype.createWritable;
      const refused = await store("opfs").catch((error) => error.code);
      await opened();
      return [refused, (await indexedDB.databases()).length];
    });
    assert.deepEqual(answers, ["persist/unavailable", 1], "and the default is IndexedDB then");
  });

  it("finds the state before where the newest files in its store are torn", async () => {
    for (const name of ["head-1", "changes-3"]) {
      const page = await visit();
      await page.evaluate(async (name) => {
        await opened("opfs");
        await kept.clear();
        await opened("opfs");
        await save("a");
        await save("b");
        const root = await navigator.storage.getDirectory();
        const folder = await (await root.getDirectoryHandle("snapseek")).getDirectoryHandle("notes");
        const writable = await (await folder.getFileHandle(name)).createWritable({ keepExistingData: true });
        await writable.truncate(20);
        await writable.close();
      }, name);
      assert.deepEqual(await found("opfs"), ["a", "base"], name);
      await page.close();
    }
  });

  it("reads the documents of a split snapshot by range", async () => {
    const engine = await build(
      Array.from({ length: 500 }, (_, i) => ({ id: i, title: `fox ${i}`, body: `${Math.sqrt(i)} `.repeat(20) })),
      { fields: { title: {}, body: {} } },
    );
    const { snapshot, docs } = engine.splitSnapshot();
    engine.free();
    const page = await visit();
    const asked = [];
    await page.route("**/a.snap*", async (route) => {
      const range = /^bytes=(\d+)-(\d+)$/.exec(route.request().headers().range ?? "");
      const isDocs = route.request().url().endsWith(".docs");
      if (isDocs) asked.push(range[0]);
      else return route.fulfill({ body: Buffer.from(snapshot) });
      const [start, end] = [Number(range[1]), Number(range[2]) + 1];
      const headers = { "content-range": `bytes ${start}-${end - 1}/${docs[0].length}` };
      return route.fulfill({ status: 206, headers, body: Buffer.from(docs[0].subarray(start, end)) });
    });
    const titles = await page.evaluate(async () => {
      const { open } = await import("/pkg/web.js");
      const engine = await open("a.snap");
      const { hits } = await engine.search("fox 77", { records: true, limit: 1 });
      return hits.map((hit) => hit.record.title);
    });
    assert.deepEqual(titles, ["fox 77"]);
    assert.equal(asked.length, 1);
  });
});
