// Builds one engine in its own process, and prints the time and the answer of each query.
//
//   node measure.mjs ENGINE FOLDER WIDTH

import { readFileSync } from "node:fs";
import { residentBytes } from "../measure.mjs";
import { engines } from "./engines.mjs";

const WARM_UP_MILLISECONDS = 500;
const [name, folder, width] = [process.argv[2], process.argv[3], Number(process.argv[4])];

function floats(file) {
  const bytes = readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

const vectors = floats(`${folder}/rows.f32`);
const flat = floats(`${folder}/queries.f32`);
const queries = Array.from({ length: flat.length / width }, (_, i) => flat.subarray(i * width, (i + 1) * width));
const rows = vectors.length / width;
const started = performance.now();
const search = await engines[name].make({ folder, vectors, rows, width });
const makeSeconds = (performance.now() - started) / 1000;
const until = performance.now() + WARM_UP_MILLISECONDS;
for (let i = 0; performance.now() < until; i = (i + 1) % queries.length) search(queries[i]);
const nanoseconds = [];
const answers = [];
for (const query of queries) {
  const before = performance.now();
  const answer = search(query);
  nanoseconds.push(Math.round((performance.now() - before) * 1e6));
  answers.push(answer);
}
console.log(JSON.stringify({ makeSeconds, nanoseconds, answers, residentBytes: residentBytes() }));
process.exit(0);
