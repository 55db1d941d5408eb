// Random histories of three writers on one store, checked against a naive model: an acknowledged write stays until a
// later one replaces it.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { build, open } from "../../pkg/node.js";
import { queue } from "../../target/js/persist-place.js";
import { Store } from "../../target/js/persist-store.js";

const HISTORIES = Number(process.env.HISTORIES ?? 120);
const FIRST_SEED = Number(process.env.SEED ?? 1);
const STEPS = 40;
const WRITERS = 3;
/** The first two are in the snapshot, the others are not. */
const IDS = ["base", "more", "x", "y", "z"];
const SCHEMA = { fields: { title: {} } };

/** Snapshots as a server gives them, one after the other. */
const editions = [];
const realNow = Date.now;

before(async () => {
  for (let edition = 0; edition < 4; edition++) {
    const records = IDS.slice(0, 2).map((id) => ({ id, title: `edition ${edition}` }));
    const engine = await build(records, SCHEMA);
    editions.push(engine.snapshot());
    engine.free();
  }
});
after(() => (Date.now = realNow));

/** Numbers that look random, the same for the same seed. */
function randomOf(seed) {
  let state = BigInt(seed) * 2n + 1n;
  return (end) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(end));
  };
}

/** A place in memory. */
function memoryPlace() {
  const files = new Map();
  return {
    read: async (name) => files.get(name)?.slice(),
    write: async (name, bytes) => void files.set(name, bytes.slice()),
    remove: async (name) => void files.delete(name),
    names: async () => [...files.keys()],
    removeAll: async () => files.clear(),
    alone: queue(),
  };
}

/**
 * How the writers' clocks go. Where all of them show the true time, the last write by time stays. Otherwise a write is
 * later than another one if its writer had seen the other one, by opening or saving.
 */
const CLOCKS = {
  true: (step) => 1e12 + step,
  standing: () => 1e12,
  wrong: (step, writer) => 1e12 + [0, -5000, 700][writer] + (step >> 2),
};

async function play(seed, clock) {
  const random = randomOf(seed);
  const place = memoryPlace();
  const log = [];
  /** All writes: the id, the title that was written or `undefined` for a removal, and the writes that the writer knew. */
  const writes = [];
  const acknowledged = new Set();
  let edition = 0;
  const writers = Array.from({ length: WRITERS }, () => ({ store: new Store(place, open), engine: undefined, known: new Set() }));

  const read = (engine) => Object.fromEntries(IDS.map((id) => [id, engine.record(id)?.title]));
  const describeLog = (message) => `seed ${seed}, clock ${clock}: ${message}\n  ${log.join("\n  ")}`;

  function check(engine, when) {
    const found = read(engine);
    for (const id of IDS) {
      const candidates = [...acknowledged].filter((number) => writes[number].id === id);
      const last = clock === "true" ? candidates.slice().sort((a, b) => b - a).slice(0, 1) : undefined;
      const standing = last ?? candidates.filter((number) => !candidates.some((other) => writes[other].knew.has(number)));
      const built = IDS.indexOf(id) < 2 ? `edition ${edition}` : undefined;
      const allowed = standing.length > 0 ? standing.map((number) => writes[number].title) : [built];
      assert.ok(allowed.includes(found[id]), describeLog(`${when}: ${id} is ${found[id]}, and may be ${allowed.join(" or ")}`));
    }
  }
  const synced = (writer) => {
    writer.known.forEach((number) => acknowledged.add(number));
    acknowledged.forEach((number) => writer.known.add(number));
  };
  const opened = async (writer, options) => {
    writer.engine?.free();
    writer.engine = await writer.store.open(() => editions[edition], options);
    writer.known = new Set(acknowledged);
  };
  const fresh = async () => {
    const engine = await new Store(place, open).open(() => assert.fail("it is stored"));
    check(engine, `a fresh start after step ${log.length}`);
    const found = read(engine);
    engine.free();
    return found;
  };
  const write = (writer, id, title) => {
    writes.push({ id, title, knew: new Set(writer.known) });
    writer.known.add(writes.length - 1);
  };

  for (let step = 0; step < STEPS; step++) {
    const number = random(WRITERS);
    const writer = writers[number];
    Date.now = () => CLOCKS[clock](step, number);
    const say = (what) => log.push(`${number}: ${what}`);
    if (!writer.engine) {
      await opened(writer);
      say("opens");
      continue;
    }
    const id = IDS[random(IDS.length)];
    const choice = random(20);
    if (choice < 6) {
      const title = `write ${writes.length}`;
      writer.engine.add([{ id, title }]);
      write(writer, id, title);
      say(`${title} of ${id}`);
    } else if (choice < 9) {
      if (writer.engine.remove([id]).removed === 0) continue;
      say(`write ${writes.length} removes ${id}`);
      write(writer, id, undefined);
    } else if (choice < 15) {
      await writer.store.save(writer.engine);
      synced(writer);
      say("saves");
      assert.deepEqual(read(writer.engine), await fresh(), describeLog("who saves sees all that is stored"));
    } else if (choice < 18) {
      writer.engine = await writer.store.compact(writer.engine);
      synced(writer);
      say("compacts");
      assert.deepEqual(read(writer.engine), await fresh(), describeLog("who compacts sees all that is stored"));
    } else if (choice < 19) {
      await opened(writer);
      say("opens anew, without saving");
      check(writer.engine, `step ${step}`);
    } else {
      edition = (edition + 1) % editions.length;
      await opened(writer, { renew: true });
      say(`renews to edition ${edition}`);
      check(writer.engine, `step ${step}`);
    }
  }
  for (const writer of writers) {
    if (!writer.engine) continue;
    await writer.store.save(writer.engine);
    synced(writer);
    writer.engine.free();
  }
  await fresh();
  return writes.length;
}

describe("three writers of one store", () => {
  for (const clock of Object.keys(CLOCKS)) {
    it(`lose no acknowledged write, with ${clock} clocks`, async () => {
      let writes = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) writes += await play(seed, clock);
      Date.now = realNow;
      console.log(`${clock} clocks: ${HISTORIES} histories, seeds ${FIRST_SEED} to ${FIRST_SEED + HISTORIES - 1}, ${writes} writes`);
    });
  }
});
