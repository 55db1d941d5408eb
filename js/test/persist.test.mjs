// A store of files in Node: crashes at every step, damage, several processes, no room.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { persist } from "../../pkg/persist-node.js";
import { filePlace } from "../../target/js/persist-file.js";
import { Store } from "../../target/js/persist-store.js";
import { build, open } from "./opening.mjs";
import { untimed } from "./untimed.mjs";

const SCHEMA = { fields: { title: {} } };
/** No process has this number: it is above what the system gives out. */
const NOBODY = 99_999_999;

let folder;
let snapshot;
let fetched;
const engines = [];

before(async () => {
  const engine = await build([{ id: "base", title: "from the snapshot" }], SCHEMA);
  snapshot = engine.snapshot();
  engine.free();
});
beforeEach(async () => {
  folder = await files.mkdtemp(join(tmpdir(), "snapseek-persist-"));
  fetched = 0;
});
afterEach(async () => {
  engines.splice(0).forEach((engine) => engine.free());
  await files.rm(folder, { recursive: true, force: true });
});

const source = () => (fetched++, new Response(snapshot));
const stored = (name = "notes") => persist(name, { open, in: "file", folder });
const inStore = (...names) => join(folder, "notes", ...names);

async function opened(store) {
  const engine = await store.open(source);
  engines.push(engine);
  return engine;
}
const all = (engine) => engine.match("from OR added").map((row) => row.id).sort();
const note = (id) => ({ id, title: `added ${id}` });

async function saveOne(store, id) {
  const engine = await opened(store);
  engine.add([note(id)]);
  await store.save(engine);
  return engine;
}

/** What a fresh start finds. */
const found = async () => all(await opened(await stored()));

describe("a store of files", () => {
  it("keeps a snapshot and its changes", async () => {
    const engine = await saveOne(await stored(), "a");
    engine.add([note("b")]);
    engine.remove(["base"]);
    assert.deepEqual(await found(), ["a", "base"], "what was not saved is not there");
    await (await stored()).clear();
    assert.deepEqual(await found(), ["base"]);
    assert.equal(fetched, 2, "once before it was cleared, once after");
  });

  it("saves additions, replacements and removals, again and again", async () => {
    const store = await stored();
    const engine = await opened(store);
    for (let i = 0; i < 5; i++) {
      engine.add([note(`n${i}`), { id: "base", title: `added ${i}` }]);
      engine.remove([`n${i - 1}`]);
      await store.save(engine);
      const again = await opened(await stored());
      assert.deepEqual(all(again), ["base", `n${i}`]);
      assert.equal(again.record("base").title, `added ${i}`);
    }
    assert.equal((await files.readdir(inStore())).length, 5, "two heads, two sets of changes, a snapshot");
  });

  it("has a name of its own, whatever the name", async () => {
    for (const name of ["a/b", "..", ".", "ä ö", "C:\\x", "a%2Fb"]) {
      const store = await stored(name);
      const engine = await opened(store);
      engine.add([note(encodeURIComponent(name))]);
      await store.save(engine);
      assert.deepEqual(all(await opened(await stored(name))).length, 2, name);
    }
    assert.equal((await files.readdir(folder)).length, 6, "and all are in the folder");
  });

  it("takes an engine, bytes, a blob or a stream for the first snapshot", async () => {
    const kinds = { bytes: snapshot, blob: new Blob([snapshot]), stream: new Blob([snapshot]).stream(), buffer: snapshot.buffer };
    kinds.engine = await build([{ id: "base", title: "from an engine" }], SCHEMA);
    for (const [name, given] of Object.entries(kinds)) {
      const store = await stored(name);
      const engine = await store.open(() => given);
      engines.push(engine);
      assert.deepEqual(all(engine), ["base"], name);
    }
    assert.throws(() => kinds.engine.length, { code: "engine/freed" });
    const store = await stored("refused");
    await assert.rejects(store.open(() => new Response("", { status: 404 })), { code: "source/failed" });
    await assert.rejects(store.open(() => new Uint8Array(3)), { code: "snapshot/not-a-snapshot" });
  });

  it("saves only engines of its own, and says so when it was cleared", async () => {
    const store = await stored();
    const engine = await opened(store);
    const other = await open(snapshot);
    engines.push(other);
    await assert.rejects(store.save(other), { code: "persist/other-engine" });
    await store.clear();
    await assert.rejects(store.save(engine), { code: "persist/failed", message: /was cleared/ });
    await assert.rejects(persist("x", { open }), { code: "option/folder" });
    await assert.rejects(persist("x", { open, in: "indexeddb" }), { code: "persist/unavailable" });
  });

  it("compacts to one snapshot, while another engine is still open on the old one", async () => {
    const [here, there] = [await stored(), await stored()];
    const other = await opened(there);
    const engine = await saveOne(here, "a");
    const compacted = await here.compact(engine);
    engines.push(compacted);
    assert.throws(() => engine.length, { code: "engine/freed" });
    assert.deepEqual(all(compacted), ["a", "base"]);
    compacted.add([note("b")]);
    await here.save(compacted);
    for (const id of ["c", "d"]) {
      other.add([note(id)]);
      await there.save(other);
    }
    assert.deepEqual(await found(), ["a", "b", "base", "c", "d"]);
    compacted.remove(["a"]);
    await here.save(compacted);
    assert.deepEqual(await found(), ["b", "base", "c", "d"], "and the changes of both survive");
    assert.equal(fetched, 1);
  });

  it("keeps the later write of a record when another tab saves after a compaction", async () => {
    const [storeA, storeB] = [await stored(), await stored()];
    const tabA = await opened(storeA);
    const tabB = await opened(storeB);
    tabA.add([{ id: "x", title: "added v1" }, note("gone")]);
    await storeA.save(tabA);
    tabB.add([note("b")]);
    await storeB.save(tabB);
    tabA.add([{ id: "x", title: "added v2" }]);
    tabA.remove(["gone"]);
    await storeA.save(tabA);
    engines.push(await storeA.compact(tabA));
    await storeB.save(tabB);
    const tabC = await opened(await stored());
    assert.equal(tabC.record("x").title, "added v2");
    assert.deepEqual(all(tabC), ["b", "base", "x"], "and what was removed stays removed");
    assert.equal(tabB.record("x").title, "added v2", "who saves sees what the others wrote, compacted or not");
    assert.deepEqual(all(tabB), ["b", "base", "x"]);
  });

  it("keeps bare links and sessions", async () => {
    const store = await stored();
    const engine = await opened(store);
    engine.add([note("a"), { $: "link", from: "a", to: "base" }, { $: "session", id: "s" }]);
    await store.save(engine);
    const expected = engine.snapshot();
    const again = await opened(await stored());
    assert.deepEqual(again.snapshot(), expected);
    engines.push(await store.compact(engine));
    assert.deepEqual((await opened(await stored())).snapshot(), expected, "a plain snapshot has no stamps");
  });

  it("keeps the order of usages within one millisecond", async (context) => {
    context.mock.method(Date, "now", () => 1e12);
    const schema = { fields: { content: {}, summary: {} }, attributes: { isDeleted: "bool", validUntil: "time" } };
    const store = await stored("memories");
    let engine = await store.open(() => build([], schema));
    const { id } = await engine.memory.create({ content: "the order of things" }, undefined, "s1");
    // More than ten, so that the number of a usage has two digits; and the last session is not the last by name.
    const sessions = Array.from({ length: 12 }, (_, number) => `s${(number * 5) % 12}`);
    for (const session of sessions) {
      engine.add([{ $: "usage", session, record: id, usage: "recalled", at: 1e12 }]);
    }
    const expected = untimed(await engine.memory.sessionContext(id));
    assert.equal(expected.session.id, sessions.at(-1));
    await store.save(engine);
    const reopened = await store.open(() => assert.fail("it is stored"));
    const copy = await open(engine.snapshot());
    const twice = await open(copy.snapshot());
    engine = await store.compact(engine);
    for (const each of [reopened, copy, twice, engine]) {
      assert.deepEqual(untimed(await each.memory.sessionContext(id)), expected);
      each.free();
    }
  });

  it("brings compacted writes to a new snapshot, too", async () => {
    const store = await stored();
    const engine = await saveOne(store, "a");
    engine.remove(["base"]);
    const compacted = await store.compact(engine);
    engines.push(compacted);
    const newer = await build([{ id: "base", title: "from a newer one" }, { id: "more", title: "from" }], SCHEMA);
    engines.push(await (await stored()).open(() => newer, { renew: true }));
    assert.deepEqual(await found(), ["a", "more"]);
    compacted.add([note("b")]);
    await store.save(compacted);
    assert.deepEqual(await found(), ["a", "b", "more"]);
    assert.deepEqual(all(compacted), ["a", "b", "more"]);
  });

  it("does not mistake a store that was cleared and filled again for the one that it knows", async () => {
    const [here, there] = [await stored(), await stored()];
    const engine = await saveOne(here, "a");
    await there.clear();
    await saveOne(there, "b");
    engine.add([note("c")]);
    await here.save(engine);
    assert.deepEqual(await found(), ["a", "b", "base", "c"]);
  });

  it("keeps writes that are made while it compacts", async () => {
    let atWrite = () => {};
    const place = await filePlace("notes", folder);
    const store = new Store({ ...place, write: (name, bytes) => (atWrite(name), place.write(name, bytes)) }, open);
    const engine = await saveOne(store, "a");
    // The save is done by then, and the new engine is not there yet.
    atWrite = (name) => name.startsWith("snapshot") && engine.add([note("late")]);
    const compacted = await store.compact(engine);
    engines.push(compacted);
    atWrite = () => {};
    assert.deepEqual(all(compacted), ["a", "base", "late"]);
    await store.save(compacted);
    assert.deepEqual(await found(), ["a", "base", "late"]);
  });

  it("brings its changes to a new snapshot when it is renewed", async () => {
    await saveOne(await stored(), "a");
    const newer = await build([{ id: "base", title: "from a newer one" }, { id: "more", title: "from" }], SCHEMA);
    assert.deepEqual(await found(), ["a", "base"]);
    const renewed = await (await stored()).open(() => newer, { renew: true });
    engines.push(renewed);
    assert.deepEqual(all(renewed), ["a", "base", "more"]);
    assert.deepEqual(await found(), ["a", "base", "more"]);
    const other = await build([{ id: "base", body: "from" }], { fields: { body: {} } });
    const store = await stored();
    await assert.rejects(store.open(() => other, { renew: true }), { code: "changes/other-schema" });
    assert.deepEqual(await found(), ["a", "base", "more"], "and nothing was replaced");
    const unwritten = await stored("unwritten");
    engines.push(await unwritten.open(source));
    const another = await build([{ id: "base", body: "from" }], { fields: { body: {} } });
    engines.push(await unwritten.open(() => another, { renew: true }));
    assert.deepEqual(all(engines.at(-1)), ["base"], "but where nothing was written, the schema may change");
  });
});

/** Files that stop working after so many steps, as in a crash; the step at which it happens is done by half. */
function crashing(limit) {
  const crash = () => Object.assign(new Error("crashed"), { code: "ECRASH" });
  const state = { steps: 0 };
  const step = async (work, half = async () => {}) => {
    state.steps++;
    if (state.steps > limit) {
      if (state.steps === limit + 1) await half();
      throw crash();
    }
    return work();
  };
  const shim = { state };
  for (const name of ["mkdir", "rm", "rmdir", "rename", "unlink"]) shim[name] = (...args) => step(() => files[name](...args));
  // Reading changes nothing, but a process that is gone does not read either.
  for (const name of ["readFile", "readdir", "stat"]) {
    shim[name] = async (...args) => {
      if (state.steps > limit) throw crash();
      return files[name](...args);
    };
  }
  shim.open = async (path, flags) => {
    const file = await step(() => files.open(path, flags));
    return {
      writeFile: (data) => step(() => file.writeFile(data), () => file.writeFile(data.slice(0, data.length / 2))),
      sync: () => step(() => file.sync()),
      close: () => file.close(),
    };
  };
  return shim;
}

const storeOn = async (shim) => new Store(await filePlace("notes", folder, shim), open);

/** The lock of a process that crashed names a process that is gone; or nobody, and then it is soon an old one. */
async function forgetLock() {
  const held = await files.readFile(inStore("lock"), "utf8").catch(() => undefined);
  if (held === undefined) return;
  await files.writeFile(inStore("lock"), held.replace(/^\d+ /, `${NOBODY} `));
  await files.utimes(inStore("lock"), new Date(0), new Date(0));
}

describe("a crash", () => {
  /** Does `work` on a store that crashes after 0, 1, 2 … steps, until it ends well; checks what is found each time. */
  async function atEveryStep(prepare, work, check) {
    for (let limit = 0; ; limit++) {
      await files.rm(inStore(), { recursive: true, force: true });
      await prepare();
      const shim = crashing(limit);
      const store = await storeOn(shim);
      let error;
      try {
        await work(store, shim);
      } catch (caught) {
        error = caught;
        assert.equal(error.name, "SnapseekError", String(error));
      }
      await forgetLock();
      await check(error === undefined, limit);
      if (error === undefined && shim.state.steps <= limit) return limit;
      assert.ok(limit < 200, "it never ends");
    }
  }

  it("at any step of a save leaves the old state or the new one", async () => {
    let olds = 0;
    const steps = await atEveryStep(
      async () => void (await saveOne(await stored(), "a")),
      async (store) => void (await saveOne(store, "b")),
      async (isDone, limit) => {
        const now = await found();
        const isOld = !now.includes("b");
        if (isOld) olds++;
        assert.deepEqual(now, isOld ? ["a", "base"] : ["a", "b", "base"], `after ${limit} steps`);
        assert.ok(!(isDone && isOld), "what was saved is there");
        await saveOne(await stored(), "c");
        assert.deepEqual(await found(), isOld ? ["a", "base", "c"] : ["a", "b", "base", "c"], "and it goes on");
      },
    );
    assert.ok(steps > 10 && olds > 5, `${steps} steps, ${olds} of them before the switch`);
    assert.ok(fetched <= steps + 1, "the snapshot is never fetched again");
  });

  it("at any step of the first open, of a compaction and of clearing leaves nothing that cannot be used", async () => {
    await atEveryStep(
      async () => {},
      async (store) => void (await opened(store)),
      async () => assert.deepEqual(await found(), ["base"]),
    );
    await atEveryStep(
      async () => void (await saveOne(await stored(), "a")),
      async (store) => void engines.push(await store.compact(await opened(store))),
      async () => assert.deepEqual(await found(), ["a", "base"]),
    );
    await atEveryStep(
      async () => void (await saveOne(await stored(), "a")),
      async (store) => store.clear(),
      async (isDone) => {
        const now = await found();
        assert.ok(now.length === 1 || (!isDone && now.length === 2), String(now));
      },
    );
  });

  it("that tears the newest files brings the state before them back", async () => {
    for (const kind of ["head", "changes"]) {
      for (const damage of ["cut", "empty", "flipped", "gone"]) {
        await files.rm(inStore(), { recursive: true, force: true });
        const store = await stored();
        const engine = await saveOne(store, "a");
        engine.add([note("b")]);
        await store.save(engine);
        // Three generations: the snapshot, "a", and "a" and "b".
        const path = inStore(kind === "head" ? "head-1" : "changes-3");
        const bytes = await files.readFile(path);
        if (damage === "gone") await files.rm(path);
        else if (damage === "flipped") {
          bytes[bytes.length - 3] ^= 1;
          await files.writeFile(path, bytes);
        } else await files.writeFile(path, bytes.subarray(0, damage === "cut" ? bytes.length - 1 : 0));
        assert.deepEqual(await found(), ["a", "base"], `${kind} ${damage}`);
        await saveOne(await stored(), "c");
        assert.deepEqual(await found(), ["a", "base", "c"], `${kind} ${damage}, and it goes on`);
      }
    }
  });

  it("that damages the snapshot costs a fetch, and no change", async () => {
    await saveOne(await stored(), "a");
    const path = inStore("snapshot-1");
    const bytes = await files.readFile(path);
    bytes[bytes.length - 1] ^= 1;
    await files.writeFile(path, bytes);
    fetched = 0;
    assert.deepEqual(await found(), ["a", "base"]);
    assert.equal(fetched, 1);
    assert.deepEqual(await found(), ["a", "base"]);
    assert.equal(fetched, 1, "it is stored again");
  });
});

describe("a disk without room", () => {
  it("is told, and what was saved before is still there", async () => {
    await saveOne(await stored(), "a");
    const full = { ...files };
    let isFull = (path) => /changes|snapshot/.test(path);
    full.open = async (path, flags) => {
      const file = await files.open(path, flags);
      if (!isFull(path) || flags === "r") return file;
      const writeFile = async (data) => {
        await file.writeFile(data.slice(0, 10));
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      };
      return { writeFile, sync: () => file.sync(), close: () => file.close() };
    };
    const store = await storeOn(full);
    await assert.rejects(saveOne(store, "b"), { name: "SnapseekError", code: "persist/quota", message: /still there/ });
    assert.deepEqual(await found(), ["a", "base"]);
    assert.deepEqual((await files.readdir(inStore())).filter((name) => name === "changes-3"), [], "half a file is removed");
    const empty = new Store(await filePlace("other", folder, full), open);
    await assert.rejects(empty.open(source), { code: "persist/quota" });
    isFull = (path) => path.endsWith("lock");
    await assert.rejects(store.clear(), { code: "persist/quota" });
    assert.deepEqual(await found(), ["a", "base"], "and no lock is left that nobody holds");
  });
});

describe("several at once", () => {
  it("in one process take turns, and the changes of all survive", async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => stored()));
    const each = await Promise.all(stores.map((store) => opened(store)));
    assert.equal(fetched, 1, "the first fetched it for all");
    await Promise.all(
      stores.map(async (store, i) => {
        for (let n = 0; n < 4; n++) {
          each[i].add([note(`${i}-${n}`)]);
          await store.save(each[i]);
        }
      }),
    );
    assert.equal((await found()).length, 17);
    await stores[0].save(each[0]);
    assert.deepEqual(all(each[0]), await found(), "and who saves sees those of the others");
  });

  it("in several processes take turns, too", async () => {
    const run = (letter) => {
      const script = `
        import { open } from ${JSON.stringify(new URL("../../pkg/node.js", import.meta.url))};
        import { persist } from ${JSON.stringify(new URL("../../pkg/persist-node.js", import.meta.url))};
        const store = await persist("notes", { open, folder: ${JSON.stringify(folder)} });
        const engine = await store.open(() => { throw new Error("it is there"); });
        for (let n = 0; n < 8; n++) {
          engine.add([{ id: ${JSON.stringify(letter)} + n, title: "added" }]);
          await store.save(engine);
        }`;
      const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "inherit" });
      return new Promise((resolve, reject) => child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`exit ${code}`)))));
    };
    await opened(await stored());
    await Promise.all(["x", "y", "z"].map(run));
    assert.equal((await found()).length, 25);
    assert.deepEqual((await files.readdir(inStore())).filter((name) => name.startsWith("lock")), []);
  });

  it("never hold the lock at the same time after breaking a stale one", async () => {
    const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));
    // Each import has a queue of its own, as if it were a process.
    const place = async (number, shim) => {
      const { filePlace } = await import(`../../target/js/persist-file.js?process=${number}`);
      return filePlace("notes", folder, shim);
    };
    // A slow process: the world goes on after each of its steps.
    const slow = { ...files };
    for (const name of ["readFile", "rename"]) {
      slow[name] = async (...args) => {
        const result = await files[name](...args).catch((error) => error);
        await pause(60);
        if (result instanceof Error) throw result;
        return result;
      };
    }
    await files.mkdir(inStore());
    for (let round = 0; round < 3; round++) {
      await files.writeFile(inStore("lock"), `${NOBODY} gone${round}`);
      let holders = 0;
      const work = async () => {
        assert.equal(++holders, 1, `round ${round}`);
        await pause(90);
        holders--;
      };
      const places = await Promise.all([place(0, slow), place(1, files), place(2, files), place(3, slow)]);
      await Promise.all(places.map(async (place, i) => (await pause(i * 15), place.alone(work))));
    }
    assert.deepEqual(await files.readdir(inStore()), [], "and no claim is left");
  });

  it("do not wait for a process that is gone", async () => {
    await saveOne(await stored(), "a");
    await files.writeFile(inStore("lock"), `${NOBODY} gone`);
    assert.deepEqual(await found(), ["a", "base"]);
  });
});
