// Measures the quality of search: runs every collection with judged queries by keywords, by vectors and by both, and prints the
// results beside the recorded figures.
//
//   node quality.mjs SNAPSEEK DATA MODEL [COLLECTION ...]

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [snapseek, data, model, ...only] = process.argv.slice(2);
const baselines = JSON.parse(readFileSync(join(data, "baselines.json"), "utf8"));
const names = readdirSync(data).filter((name) => existsSync(join(data, name, "docs.jsonl")));
const folder = mkdtempSync(join(tmpdir(), "snapseek-quality-"));
const run = (...parameters) => execFileSync(snapseek, parameters, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const failures = [];

/** A figure that must hold. */
function expect(what, holds) {
  if (!holds) failures.push(what);
}

function evaluate(name) {
  const at = (file) => join(data, name, file);
  const hasGroups = /"group":/.test(readFileSync(at("queries.jsonl"), "utf8").split("\n", 1)[0]);
  const schema = join(folder, "schema.json");
  const attributes = hasGroups ? { group: "keyword" } : {};
  writeFileSync(schema, JSON.stringify({ fields: { title: {}, text: {} }, attributes }));
  const build = (snapshot, ...parameters) => {
    const file = join(folder, snapshot);
    run("build", at("docs.jsonl"), "-o", file, "--schema", schema, "--force", ...parameters);
    return file;
  };
  const ndcg = (snapshot, mode, { isGiven = true, fusion = "auto" } = {}) => {
    const parameters = ["--queries", at("queries.jsonl"), "--qrels", at("qrels.tsv"), "--mode", mode, "--json"];
    if (hasGroups) parameters.push("--same", "group");
    if (isGiven && mode !== "keyword") parameters.push("--query-vectors", `minilm=${at("queries.minilm.f32")}`);
    parameters.push("--options", JSON.stringify({ fusion }));
    return JSON.parse(run("eval", snapshot, ...parameters))["ndcg@10"];
  };
  const given = (encoding) => build(`${encoding}.snap`, "--vectors", `minilm=${at("docs.minilm.f32")}`, "--encoding", encoding);
  const [f32, i8, i1] = ["f32", "i8", "i1"].map(given);
  const own = build("static.snap", "--embed", `static:${model}`);
  const figures = {
    keyword: ndcg(f32, "keyword"),
    f32: ndcg(f32, "vector"),
    i8: ndcg(i8, "vector"),
    i1: ndcg(i1, "vector"),
    rrf: ndcg(f32, "hybrid", { fusion: "rrf" }),
    sum: ndcg(f32, "hybrid", { fusion: "sum" }),
    auto: ndcg(f32, "hybrid"),
    "auto i8": ndcg(i8, "hybrid"),
    static: ndcg(own, "vector", { isGiven: false }),
    "auto static": ndcg(own, "hybrid", { isGiven: false }),
  };
  const { fts5, minilm } = baselines[name];
  const best = Math.max(fts5, minilm, baselines[name].rrf60, baselines[name]["wsum0.5"]);
  expect(`${name}: keyword is FTS5's ${fts5} to four digits`, Math.abs(figures.keyword - fts5) <= 0.00005 + 1e-9);
  expect(`${name}: f32 within .001 of ${minilm}`, Math.abs(figures.f32 - minilm) <= 0.001);
  expect(`${name}: i8 within .005 of ${minilm}`, Math.abs(figures.i8 - minilm) <= 0.005);
  expect(`${name}: auto at least ${best}, the best recorded`, figures.auto >= best);
  expect(`${name}: auto at least each leg`, figures.auto >= Math.max(figures.keyword, figures.f32));
  expect(`${name}: auto with the static model above keyword`, figures["auto static"] > figures.keyword);
  return figures;
}

try {
  let columns;
  for (const name of only.length > 0 ? only : names) {
    const figures = evaluate(name);
    if (!columns) {
      columns = Object.keys(figures);
      console.log(`nDCG@10${" ".repeat(7)}${columns.map((column) => column.padStart(12)).join("")}`);
    }
    console.log(`${name.padEnd(14)}${columns.map((column) => figures[column].toFixed(4).padStart(12)).join("")}`);
  }
  console.log(failures.length === 0 ? "\nevery figure is reached" : `\nNOT reached:\n  ${failures.join("\n  ")}`);
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failures.length === 0 ? 0 : 1;
