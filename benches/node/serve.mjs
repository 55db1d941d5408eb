// Runs one engine from npm in its own process; run.mjs sends the requests. Requests and answers are those of src/serve.rs.
//
// An engine module exports:
//
//   absence?          why it cannot take part; its column then says "–"
//   start()           loads the module and starts it; timed
//   build(lines)      JSON-lines text to { files: Map of name to bytes, buildSeconds, compactSeconds }
//   indexBytes?(files) bytes without stored documents; by default all of them
//   open(files)       what build() made, ready to search: { search, hits, supports?, ownBytes? }
//     search(query)     the best LIMIT documents, in the engine's own form; this call alone is timed
//     hits(answer)      [[row from 0 or id, score or null], …], best first
//     supports?(kind)   whether it can answer term, or, and, phrase, prefix; by default all
//     ownBytes?()       memory the engine itself accounts for (wasm memory, or the heap)

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { copySeconds, now, residentBytes, turn } from "./measure.mjs";

const engines = {
  "sqlite-wasm": () => import("./engines/sqlite-wasm.mjs"),
  flexsearch: () => import("./engines/flexsearch.mjs").then((module) => module.wholeWords),
  "flexsearch-forward": () => import("./engines/flexsearch.mjs").then((module) => module.forward),
  snapseek: () => import("./engines/snapseek.mjs"),
};

const engine = await engines[process.argv[2]]();
let opened;
let queries = [];
const ofClass = (name) => queries.filter((query) => query.class === name);
/** Returns a plain Uint8Array, as in a browser; sqlite-wasm rejects Node's Buffer. */
const readBytes = (file) => {
  const { buffer, byteOffset, length } = readFileSync(file);
  return new Uint8Array(buffer, byteOffset, length);
};
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

async function build({ records, index, threads }) {
  const lines = readFileSync(records, "utf8");
  await engine.start();
  const { files, buildSeconds, compactSeconds } = await engine.build(lines, threads);
  rmSync(index, { recursive: true, force: true });
  mkdirSync(index, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(index, name), bytes);
  const fileBytes = sum([...files.values()].map((bytes) => bytes.length));
  return { buildSeconds, compactSeconds, fileBytes, indexBytes: engine.indexBytes?.(files) ?? fileBytes };
}

async function open({ index, queries: queriesFile, first }) {
  queries = readFileSync(queriesFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  globalThis.gc();
  const residentBefore = residentBytes();
  let files = new Map(readdirSync(index).map((name) => [name, readBytes(join(index, name))]));
  const fileBytes = sum([...files.values()].map((bytes) => bytes.length));

  const starting = now();
  await engine.start();
  const opening = now();
  opened = await engine.open(files);
  const searching = now();
  opened.search(ofClass(first)[0]);
  const done = now();

  // The file that the caller read does not count, only the memory that the engine keeps.
  files = undefined;
  globalThis.gc();
  const resident = residentBytes();
  return {
    startSeconds: opening - starting,
    openSeconds: searching - opening,
    firstSeconds: done - searching,
    residentBytes: resident === undefined ? undefined : Math.max(0, resident - residentBefore),
    ownBytes: opened.ownBytes?.(),
    copySeconds: copySeconds(fileBytes),
  };
}

function answer({ class: name }) {
  const asked = ofClass(name);
  if (opened.supports && !asked.every((query) => opened.supports(query.kind))) return { unsupported: true };
  return { answers: asked.map((query) => opened.hits(opened.search(query))) };
}

const perform = {
  build,
  open,
  answer,
  measure: ({ class: name, warmUpMilliseconds }) => ({
    nanoseconds: turn(opened, ofClass(name), warmUpMilliseconds),
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const result = engine.absence ? { absent: engine.absence } : await perform[request.do](request);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
