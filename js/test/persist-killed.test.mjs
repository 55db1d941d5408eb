// Processes that write to one store and are killed at any moment: no acknowledged write is lost or reverted.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { build, open } from "../../pkg/node.js";
import { persist } from "../../pkg/persist-node.js";

/** How long processes are started and killed, in milliseconds. */
const DURATION = Number(process.env.KILLING ?? 5000);
/** Each writer has records of its own, so that the order of the writes of a record is known. */
const WRITERS = ["a", "b", "c"];
const RECORDS = 4;

/** The record that a write is of, and whether it removes it. */
const recordOf = (writer, number) => `${writer}${number % RECORDS}`;
const isRemoval = (number) => number % 7 === 0;

/** Does the writes from `first` on. A log tells when each write begins, and when it is saved. */
const script = (folder, writer, first) => `
  import { appendFileSync, writeSync } from "node:fs";
  import { open } from ${JSON.stringify(new URL("../../pkg/node.js", import.meta.url))};
  import { persist } from ${JSON.stringify(new URL("../../pkg/persist-node.js", import.meta.url))};
  const log = (line) => appendFileSync(${JSON.stringify(logOf(folder, writer))}, line + "\\n");
  const store = await persist("notes", { open, folder: ${JSON.stringify(folder)} });
  let engine = await store.open(() => { throw new Error("it is stored"); });
  const RECORDS = ${RECORDS};
  const recordOf = ${recordOf};
  const isRemoval = ${isRemoval};
  for (let number = ${first}; ; number++) {
    const id = recordOf(${JSON.stringify(writer)}, number);
    log("begun " + number);
    if (isRemoval(number)) engine.remove([id]);
    else engine.add([{ id, title: String(number) }]);
    if (number % 5 === 0) engine = await store.compact(engine);
    else await store.save(engine);
    log("saved " + number);
    writeSync(1, ".");
  }`;

const logOf = (folder, writer) => join(folder, `${writer}.log`);

/** The numbers of the last write that a writer has begun, and of the last one that is saved. */
async function progressOf(folder, writer) {
  const progress = { begun: 0, saved: 0 };
  const log = await files.readFile(logOf(folder, writer), "utf8").catch(() => "");
  for (const [, step, number] of log.matchAll(/^(begun|saved) (\d+)\n/gm)) progress[step] = Number(number);
  return progress;
}

describe("processes that are killed", () => {
  it("lose and revert no write that was acknowledged", async () => {
    const folder = await files.mkdtemp(join(tmpdir(), "snapseek-killed-"));
    const engine = await build([{ id: "base", title: "built" }], { fields: { title: {} } });
    const store = await persist("notes", { open, folder });
    (await store.open(() => engine)).free();
    const progress = () => Promise.all(WRITERS.map((writer) => progressOf(folder, writer)));

    let kills = 0;
    let checks = 0;
    const end = Date.now() + DURATION;
    const keepWriting = async (writer) => {
      while (Date.now() < end) {
        const { saved } = await progressOf(folder, writer);
        const args = ["--input-type=module", "--eval", script(folder, writer, saved + 1)];
        const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
        child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), Math.random() * 400));
        child.stdout.resume();
        assert.equal(await new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal))), "SIGKILL");
        kills++;
      }
    };
    /** Opens the store, and checks that every record is as its last saved write left it, or a later one. */
    const check = async () => {
      const before = await progress();
      const found = await store.open(() => assert.fail("it is stored"));
      const after = await progress();
      for (const [i, writer] of WRITERS.entries()) {
        for (let record = 0; record < RECORDS; record++) {
          const allowed = [];
          const { saved } = before[i];
          const last = saved - ((saved - record + RECORDS) % RECORDS);
          // A write that was begun may be stored.
          for (let number = last; number === last || number <= after[i].begun; number += RECORDS) {
            allowed.push(number <= 0 || isRemoval(number) ? "absent" : String(number));
          }
          const id = recordOf(writer, record);
          const title = found.record(id)?.title ?? "absent";
          assert.ok(allowed.includes(title), `${id} is ${title}, and may be ${allowed.join(" or ")}`);
        }
      }
      found.free();
      checks++;
    };
    const keepChecking = async () => {
      while (Date.now() < end) await check();
    };
    await Promise.all([...WRITERS.map(keepWriting), keepChecking()]);
    await check();

    const saved = (await progress()).reduce((sum, { saved }) => sum + saved, 0);
    assert.ok(saved > 0, "something was written");
    console.log(`${kills} processes were killed, ${saved} writes acknowledged, ${checks} checks`);
    await files.rm(folder, { recursive: true, force: true });
  });
});
