// snapseek's wasm package in Node.

import { now } from "../measure.mjs";
import { LIMIT } from "../records.mjs";

const schema = { fields: { title: {}, description: {}, section: {} } };
let snapseek;

export async function start() {
  snapseek = await import("../../../pkg/node.js");
  // The module is compiled with the first engine.
  (await snapseek.build("", schema)).free();
}

export async function build(lines) {
  const building = now();
  const engine = await snapseek.build(lines, schema);
  const bytes = engine.snapshot();
  const buildSeconds = now() - building;
  engine.free();
  return { files: new Map([["packages.snap", bytes]]), buildSeconds, compactSeconds: 0 };
}

export async function open(files) {
  const engine = await snapseek.open(files.get("packages.snap"));
  const options = { limit: LIMIT };
  return {
    search: (query) => engine.match(query.match, options),
    hits: (rows) => rows.map(({ id, rank }) => [id, rank]),
    ownBytes: () => snapseek.memoryBytes(),
  };
}
