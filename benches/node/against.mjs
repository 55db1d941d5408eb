// Compares two builds of the package: the one in pkg/ and another one, in processes of their own that take turns. Both must
// give the same rows and ranks before a time counts.
//
//   node benches/node/against.mjs OTHER_PKG [--records N] [--rounds N]

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";

const SAMPLE = new URL("../sample/packages.jsonl", import.meta.url);
const SCHEMA = { forms: true, fields: { title: { weight: 5 }, description: {} }, vectors: { own: { embedder: "hash" } } };
const PASSES = 5;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    child: { type: "boolean", default: false },
    records: { type: "string", default: "20000" },
    rounds: { type: "string", default: "6" },
  },
});

/** Records from the sample, repeated under new ids with their words in another order. */
async function records(count) {
  const sample = (await readFile(SAMPLE, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return Array.from({ length: count }, (_, number) => {
    const { title, description } = sample[number % sample.length];
    const words = description.split(" ");
    const turn = (number * 7) % words.length;
    return { id: String(number), title, description: [...words.slice(turn), ...words.slice(0, turn)].join(" ") };
  });
}

/** Queries by class; each is called with the engine. */
function queries(all) {
  const words = all.flatMap(({ title }) => title.toLowerCase().match(/[a-z]{4,}/g) ?? []);
  const word = (number) => words[(number * 2654435761) % words.length];
  const many = (make) => Array.from({ length: 60 }, (_, number) => make(number * 5));
  const matched = (make) => many((number) => (engine) => engine.match(make(number), { limit: 10 }).map(({ id, rank }) => [id, rank]));
  return {
    "one word": matched((n) => word(n)),
    "any of three words": matched((n) => `${word(n)} OR ${word(n + 1)} OR ${word(n + 2)}`),
    "all of two words": matched((n) => `${word(n)} AND ${word(n + 1)}`),
    phrase: matched((n) => `"${word(n)} ${word(n + 1)}"`),
    prefix: matched((n) => `${word(n).slice(0, 3)}*`),
    "search, keyword": many((n) => (engine) => {
      const { hits } = engine.searchSync(`${word(n)} ${word(n + 1)}`, { mode: "keyword" });
      return hits.map(({ id, score, snippet }) => [id, score, snippet]);
    }),
    "search, hybrid": many((n) => (engine) => engine.searchSync(`${word(n)} ${word(n + 1)}`).hits.map(({ id, score }) => [id, score])),
  };
}

/** Measures one package in this process. */
async function measure(folder) {
  const { build } = await import(pathToFileURL(resolve(folder, "node.js")).href);
  const all = await records(Number(options.records));
  const built = performance.now();
  const engine = await build(all, SCHEMA);
  const times = { build: performance.now() - built };
  const wrote = performance.now();
  const bytes = engine.snapshot();
  times.snapshot = performance.now() - wrote;
  const answers = createHash("sha256").update(bytes);
  for (const [name, asked] of Object.entries(queries(all))) {
    for (const ask of asked) answers.update(JSON.stringify(ask(engine)));
    const took = asked.map((ask) => {
      const passes = Array.from({ length: PASSES }, () => {
        const began = performance.now();
        ask(engine);
        return performance.now() - began;
      });
      return passes.sort((a, b) => a - b)[PASSES >> 1];
    });
    times[name] = took.reduce((sum, time) => sum + time, 0) / took.length;
  }
  console.log(JSON.stringify({ times, answers: answers.digest("hex") }));
}

async function compare(other) {
  const own = fileURLToPath(new URL("../../pkg/", import.meta.url));
  const best = new Map();
  const answers = new Set();
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const folder of round % 2 ? [own, other] : [other, own]) {
      const args = [fileURLToPath(import.meta.url), folder, "--child", "--records", options.records];
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 24 });
      const found = JSON.parse(stdout);
      answers.add(found.answers);
      for (const [name, time] of Object.entries(found.times)) {
        const key = `${folder} ${name}`;
        best.set(key, Math.min(best.get(key) ?? Infinity, time));
      }
    }
  }
  if (answers.size > 1) throw new Error("the two packages give different snapshots, rows or scores");
  console.log(`${options.records} records, best of ${options.rounds} rounds; milliseconds, and the ratio of pkg/ to ${other}`);
  const names = [...best.keys()].filter((key) => key.startsWith(`${own} `)).map((key) => key.slice(own.length + 1));
  for (const name of names) {
    const [before, now] = [best.get(`${other} ${name}`), best.get(`${own} ${name}`)];
    console.log(
      `${name.padEnd(20)}${before.toFixed(3).padStart(10)}${now.toFixed(3).padStart(10)}${(now / before).toFixed(3).padStart(8)}`,
    );
  }
}

if (positionals.length !== 1) {
  console.error("against.mjs: pass the folder of the other package");
  process.exitCode = 2;
} else if (options.child) await measure(positionals[0]);
else await compare(positionals[0]);
