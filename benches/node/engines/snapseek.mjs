// snapseek's wasm package in Node.

import { readFile } from "node:fs/promises";
import { now } from "../measure.mjs";
import { LIMIT } from "../records.mjs";

const schema = { fields: { title: {}, description: {}, section: {} } };
let snapseek;
let module;
let wasm;

export async function start() {
  snapseek = await import("../../../pkg/node.js");
  const { initSync } = await import("../../../pkg/glue.js");
  module = await WebAssembly.compile(await readFile(new URL("../../../pkg/snapseek.wasm", import.meta.url)));
  wasm = initSync({ module });
}

export async function build(lines) {
  const building = now();
  const engine = await snapseek.build(lines, schema, { wasm: module });
  const bytes = engine.snapshot();
  const buildSeconds = now() - building;
  engine.free();
  return { files: new Map([["packages.snap", bytes]]), buildSeconds, compactSeconds: 0 };
}

export async function open(files) {
  const engine = await snapseek.open(files.get("packages.snap"), { wasm: module });
  const options = { limit: LIMIT };
  return {
    search: (query) => engine.match(query.match, options),
    hits: (rows) => rows.map(({ id, rank }) => [id, rank]),
    ownBytes: () => wasm.memory.buffer.byteLength,
  };
}

/** The sections before the stored documents and without ids, as src/engines/snapseek.rs counts them. */
export function indexBytes(files) {
  const bytes = files.get("packages.snap");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sections = Array.from({ length: view.getUint32(12, true) }, (_, i) => 48 + 32 * i);
  const ofDocuments = [2, 3, 4];
  const counted = sections.filter((at) => !ofDocuments.includes(view.getUint32(at, true)));
  return counted.reduce((sum, at) => sum + Number(view.getBigUint64(at + 16, true)), 0);
}
