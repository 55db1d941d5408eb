// Compares vector search with other engines and with the speed of reading memory: one run, one table.
//
//   node run.mjs [--quick]

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, copyFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, percentile } from "../measure.mjs";
import { engines } from "./engines.mjs";

const isQuick = process.argv.includes("--quick");
const SIZES = isQuick
  ? [[2000, 64, 20]]
  : [
      [10_000, 384, 100],
      [100_000, 384, 100],
      [100_000, 768, 50],
    ];
const TURNS = isQuick ? 1 : 3;
const here = fileURLToPath(new URL("../../", import.meta.url));
const native = `${here}target/${isQuick ? "quick" : "release"}/snapseek-benches`;
const COLLECTIONS = join(process.env.SNAPSEEK_SHARED ?? "", "data/");
const NATIVE = ["f32", "i8", "i1", "read", "usearch-exact", "usearch-hnsw", "sqlite-vec"];
/** Building a graph with more numbers than this takes minutes. */
const MOST_FOR_A_GRAPH = 4e6;

/** Returns the last line that a program prints, which is JSON. Other engines may print more before it. */
const run = (program, parameters) => {
  const output = execFileSync(program, parameters, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  return JSON.parse(output.trimEnd().split("\n").at(-1));
};
const absent = new Map();

/** Returns the best turn, because other load on the machine can only make a turn slower. */
function measured(turns) {
  const best = turns.reduce((a, b) => (median(a.nanoseconds) <= median(b.nanoseconds) ? a : b));
  return { ...best, p50: median(best.nanoseconds) / 1e6, p95: percentile(best.nanoseconds, 95) / 1e6 };
}

function recall(answers, exact) {
  const shares = answers.map((answer, i) => answer.filter((id) => exact[i].includes(id)).length / exact[i].length);
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function folderOf(name) {
  const folder = `${here}data/vectors/${name}`;
  mkdirSync(folder, { recursive: true });
  return folder;
}

function measureSize([rows, width, queries]) {
  const folder = folderOf(`${rows}x${width}`);
  execFileSync(native, ["vectors", "make", folder, rows, width, queries].map(String));
  const jobs = new Map();
  for (const [name, engine] of Object.entries(engines)) {
    if (rows * width > (engine.most ?? Infinity)) continue;
    jobs.set(name, () => run(process.execPath, [`${here}node/vectors/measure.mjs`, name, folder, String(width)]));
  }
  for (const name of NATIVE) {
    if (name === "usearch-hnsw" && rows * width > MOST_FOR_A_GRAPH) continue;
    const label = { f32: "snapseek f32", i8: "snapseek i8", i1: "snapseek i1", read: "reading f32" }[name] ?? name;
    jobs.set(`native: ${label}`, () => run(native, ["vectors", "measure", folder, String(width), name]));
  }
  const turns = new Map([...jobs.keys()].map((name) => [name, []]));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, job] of jobs) {
      // Engines that take long to build are built once.
      if (turn > 0 && (turns.get(name)[0]?.makeSeconds ?? 0) > 20) continue;
      if (absent.has(name)) continue;
      try {
        turns.get(name).push(job());
      } catch (error) {
        // Another engine that does not run here is reported as absent; snapseek must run.
        if (name.includes("snapseek")) throw error;
        absent.set(
          name,
          String(error.stderr || error.message)
            .split("\n")
            .find((line) => /Error/.test(line)) ?? error.message,
        );
      }
    }
  }
  const results = new Map([...turns].filter(([, all]) => all.length > 0).map(([name, all]) => [name, measured(all)]));
  const exact = results.get("native: snapseek f32").answers;
  for (const [name, result] of results) {
    if (result.answers[0].length > 0) result.recall = recall(result.answers, exact);
    if (/f32|usearch-exact|sqlite-vec|loop|, all/.test(name) && result.recall !== undefined && result.recall < 0.99) {
      throw new Error(`${name} compares everything, but finds only ${result.recall} of the nearest`);
    }
  }
  for (const encoding of ["f32", "i8", "i1"]) {
    const [simd, plain, natively] = [`snapseek ${encoding}`, `snapseek ${encoding}, plain`, `native: snapseek ${encoding}`];
    const text = JSON.stringify(results.get(natively).answers);
    for (const name of [simd, plain]) {
      if (JSON.stringify(results.get(name).answers) !== text) throw new Error(`${name} differs from ${natively}`);
    }
  }
  return { name: `${rows.toLocaleString("en")} × ${width}`, rows, width, folder, results };
}

function printSize({ name, results }) {
  console.log(`\n${name}, the nearest 10${" ".repeat(Math.max(0, 20 - name.length))}    p50 ms    p95 ms  recall@10`);
  for (const [engine, { p50, p95, recall: share }] of results) {
    const columns = [p50.toFixed(3), p95.toFixed(3), share === undefined ? "–" : share.toFixed(3)];
    console.log(`  ${engine.padEnd(36)}${columns.map((column) => column.padStart(10)).join("")}`);
  }
}

/** Recall on real embeddings: [collection, i8, i1]. */
function measureCollections() {
  if (!existsSync(COLLECTIONS)) {
    console.log(`\nSKIPPED: recall on real embeddings; there are none at ${COLLECTIONS}`);
    return [];
  }
  const found = [];
  const names = readdirSync(COLLECTIONS).filter((name) => existsSync(`${COLLECTIONS}${name}/docs.minilm.f32`));
  for (const name of isQuick ? names.slice(0, 1) : names) {
    const folder = folderOf(name);
    copyFileSync(`${COLLECTIONS}${name}/docs.minilm.f32`, `${folder}/rows.f32`);
    copyFileSync(`${COLLECTIONS}${name}/queries.minilm.f32`, `${folder}/queries.f32`);
    execFileSync(native, ["vectors", "make", folder, "0", "384", "0"]);
    const answers = (what) => run(native, ["vectors", "measure", folder, "384", what]).answers;
    const exact = answers("f32");
    found.push({ name, i8: recall(answers("i8"), exact), i1: recall(answers("i1"), exact) });
  }
  return found;
}

function figures(sizes, collections) {
  const lines = [];
  const figure = (what, value, isReached) => lines.push([what, value, isReached ? "reached" : "NOT reached"]);
  for (const { name, rows, width, folder, results } of sizes) {
    const p50 = (engine) => results.get(engine).p50;
    const ratio = (what, a, b, most) =>
      figure(`${name}: ${what} ≤ ${most.toFixed(3)}`, (p50(a) / p50(b)).toFixed(3), p50(a) / p50(b) <= most);
    ratio("f32 / reading", "snapseek f32", "reading f32", 1.15);
    ratio("i8 / reading", "snapseek i8", "reading i8", 1.35);
    ratio("i1 / f32", "snapseek i1", "snapseek f32", 1 / 12);
    for (const encoding of ["f32", "i8", "i1"]) {
      ratio(`${encoding}, plain / SIMD`, `snapseek ${encoding}, plain`, `snapseek ${encoding}`, 3.5);
    }
    if (rows === 100_000 && width === 384) {
      const bytes = statSync(`${folder}/i1.snap`).size;
      figure(`${name}: i1 snapshot, ids included ≤ 45 MB`, `${(bytes / 1e6).toFixed(1)} MB`, bytes <= 45e6);
    }
  }
  for (const { name, i8, i1 } of collections) {
    figure(`${name}: recall@10 of i8 ≥ 0.99`, i8.toFixed(4), i8 >= 0.99);
    figure(`${name}: recall@10 of i1 ≥ 0.97`, i1.toFixed(4), i1 >= 0.97);
  }
  return lines;
}

const sizes = SIZES.map(measureSize);
sizes.forEach(printSize);
for (const [name, reason] of absent) console.log(`absent: ${name}: ${reason.trim()}`);
const collections = measureCollections();
const lines = figures(sizes, collections);
console.log("\nfigures");
for (const [what, value, verdict] of lines) console.log(`  ${what.padEnd(52)}${value.padStart(10)}  ${isQuick ? "" : verdict}`);
const plain = sizes.map(({ name, results }) => ({
  name,
  engines: [...results].map(([engine, { p50, p95, recall: share }]) => ({ engine, p50, p95, recall: share })),
}));
writeFileSync(
  `${here}${isQuick ? "data/vectors/quick.json" : "vectors.json"}`,
  `${JSON.stringify({ sizes: plain, collections, figures: lines }, null, 1)}\n`,
);
