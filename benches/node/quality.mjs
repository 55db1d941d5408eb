// Measures the quality of search on collections with judged queries: three models, every fusion, the default fusion with
// its weight tuned on the other collections, and queries that must find nothing. Prints tables and fails where a figure
// is missed.
//
//   node quality.mjs SNAPSEEK DATA [--quick] [--static NAME=FOLDER ...] [COLLECTION ...]

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatorOf, gibberish, interval } from "./quality/samples.mjs";

/** The weights of vectors that are tried when a collection is left out. */
const WEIGHTS = [0.05, 0.07, 0.09, 0.11, 0.13, 0.15, 0.17, 0.19, 0.21, 0.24, 0.28];
/** The simple rules that the default is compared with. */
const RULES = {
  keyword: { mode: "keyword" },
  vector: { mode: "vector" },
  rrf: { fusion: "rrf" },
  "sum .3": { fusion: "sum", alpha: 0.3 },
  "sum .5": { fusion: "sum", alpha: 0.5 },
  "sum .7": { fusion: "sum", alpha: 0.7 },
};
/** The largest number of queries per collection on which weights are compared. */
const TUNING_QUERIES = 400;
/** The number of gibberish queries, and of questions from other collections. */
const NONSENSE = 200;
/** Collections about the same field: their questions are not off topic for each other. */
const FIELDS = {
  cranfield: "aerodynamics",
  nfcorpus: "medicine",
  med: "medicine",
  banking77: "banking",
  locomo: "daily life",
};
/** The figures of the collection in this repository: floors a little below today's, so that a change for the worse is seen. */
const FLOORS = { gain: 0.18, empty: 0.8, gibberish: 0.95, lost: 0.02 };
const FIGURES = { regret: 0.02, gain: 0.01, empty: 0.95, lost: 0.01 };

const parameters = process.argv.slice(2);
const isQuick = parameters.includes("--quick");
const statics = [];
const plain = [];
for (let place = 0; place < parameters.length; place++) {
  if (parameters[place] === "--static") statics.push(parameters[++place].split("="));
  else if (parameters[place] !== "--quick") plain.push(parameters[place]);
}
const [snapseek, data, ...only] = plain;
const folder = mkdtempSync(join(tmpdir(), "snapseek-quality-"));
const run = (...words) => execFileSync(snapseek, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
const failures = [];

/** Notes a figure that must hold. */
function expect(what, holds) {
  if (!holds) failures.push(what);
}

const lines = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean);
const fieldOf = (name) => FIELDS[name] ?? "computing";

class Collection {
  constructor(name) {
    this.name = name;
    this.queries = lines(this.at("queries.jsonl")).map((line) => JSON.parse(line));
    this.hasGroups = this.queries[0].group !== undefined;
    this.hasMiniLm = existsSync(this.at("docs.minilm.f32"));
    this.schema = join(folder, `${name}.json`);
    const attributes = this.hasGroups ? { group: "keyword" } : {};
    writeFileSync(this.schema, JSON.stringify({ fields: { title: {}, text: {} }, attributes }));
  }

  at(file) {
    return join(data, this.name, file);
  }

  build(snapshot, ...words) {
    const file = join(folder, snapshot);
    run("build", this.at("docs.jsonl"), "-o", file, "--schema", this.schema, "--force", ...words);
    return file;
  }

  /** Evaluates queries of the collection, by default all of them. */
  evaluate({ file, vectors }, options, queries = {}) {
    const { mode = "hybrid", ...rest } = options;
    const words = ["--queries", queries.file ?? this.at("queries.jsonl"), "--qrels", queries.qrels ?? this.at("qrels.tsv")];
    words.push("--mode", mode, "--options", JSON.stringify(rest), "--per-query", "--json");
    if (this.hasGroups) words.push("--same", "group");
    const given = vectors && (queries.vectors ?? vectors);
    if (given && mode !== "keyword") words.push("--query-vectors", `minilm=${given}`);
    return JSON.parse(run("eval", file, ...words));
  }
}

/** Writes some queries of a collection, evenly spaced, with their vectors. */
function sample(collection, count) {
  const { queries, name } = collection;
  const step = Math.max(1, queries.length / count);
  const chosen = [];
  for (let place = 0; place < queries.length; place += step) chosen.push(Math.floor(place));
  const file = join(folder, `${name}.some.jsonl`);
  writeFileSync(file, chosen.map((place) => `${JSON.stringify(queries[place])}\n`).join(""));
  return { file, vectors: collection.hasMiniLm && vectorsOf([[collection, chosen]], `${name}.some.f32`) };
}

/** Writes the MiniLM vectors of chosen queries, in this order, to one file. */
function vectorsOf(chosen, file) {
  const rows = chosen.flatMap(([collection, places]) => {
    const all = readFileSync(collection.at("queries.minilm.f32"));
    const width = all.length / collection.queries.length;
    return places.map((place) => all.subarray(place * width, (place + 1) * width));
  });
  const path = join(folder, file);
  writeFileSync(path, Buffer.concat(rows));
  return path;
}

/** Writes queries that no record answers, judged by a record that does not exist. */
function nonsense(collection, kind, texts) {
  const file = join(folder, `${kind}.jsonl`);
  const qrels = join(folder, `${kind}.tsv`);
  const groups = [...new Set(collection.queries.map((query) => query.group))];
  const rows = texts.map((text, place) => ({ id: `n${place}`, text, group: groups[place % groups.length] }));
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  writeFileSync(qrels, `query\trecord\trelevance\n${rows.map((row) => `${row.id}\tnone\t1\n`).join("")}`);
  return { file, qrels };
}

/** Chooses questions from collections of other fields. */
function offTopic(collection, all) {
  const random = generatorOf(collection.name);
  const others = all.filter((other) => fieldOf(other.name) !== fieldOf(collection.name));
  const chosen = others.map((other) => {
    const count = Math.min(Math.ceil(NONSENSE / others.length), other.queries.length);
    return [other, Array.from({ length: count }, () => Math.floor(random() * other.queries.length))];
  });
  const texts = chosen.flatMap(([other, places]) => places.map((place) => other.queries[place].text));
  return { ...nonsense(collection, "off-topic", texts), vectors: vectorsOf(chosen, "off-topic.f32") };
}

/** The figures of one collection with one model. */
function measure(collection, model, snapshot, all) {
  const rules = {};
  for (const [rule, options] of Object.entries(RULES)) rules[rule] = collection.evaluate(snapshot, options);
  const auto = collection.evaluate(snapshot, {});
  const best = Math.max(...Object.values(rules).map((figures) => figures["ndcg@10"]));
  const result = { name: collection.name, model, rules, auto, best };
  if (isQuick) {
    const everything = collection.evaluate(snapshot, { minRelevance: 0 });
    result.lost = 1 - auto["recall@10"] / everything["recall@10"];
    const texts = lines(collection.at("off-topic.jsonl")).map((line) => JSON.parse(line).text);
    result.offTopic = collection.evaluate(snapshot, {}, nonsense(collection, "off-topic", texts)).empty;
    result.gibberish = emptyGibberish(collection, snapshot);
    return result;
  }
  const some = sample(collection, TUNING_QUERIES);
  const of = (options) => collection.evaluate(snapshot, options, some)["ndcg@10"];
  const bestOfSome = Math.max(...Object.values(RULES).map(of));
  result.regrets = WEIGHTS.map((trust) => bestOfSome - of({ trust }));
  const everything = collection.evaluate(snapshot, { minRelevance: 0 });
  result.lost = 1 - auto["recall@10"] / everything["recall@10"];
  result.offTopic = collection.evaluate(snapshot, {}, offTopic(collection, all)).empty;
  // Only a snapshot with an embedder can embed gibberish.
  if (!snapshot.vectors) result.gibberish = emptyGibberish(collection, snapshot);
  return result;
}

/** Returns the share of nonsense queries that find nothing. */
function emptyGibberish(collection, snapshot) {
  const random = generatorOf("gibberish");
  const texts = Array.from({ length: NONSENSE }, () => gibberish(random));
  return collection.evaluate(snapshot, {}, nonsense(collection, "gibberish", texts)).empty;
}

/** Returns the index of the weight with the least regret on all collections but one: the worst plus the mean. */
function tunedWithout(results, left) {
  const others = results.filter((result) => result !== left);
  const cost = WEIGHTS.map((_, place) => {
    const regrets = others.map((result) => result.regrets[place]);
    return Math.max(...regrets) + mean(regrets);
  });
  return cost.indexOf(Math.min(...cost));
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const cell = (text) => String(text).padStart(10);
const row = (name, cells) => console.log(`${name.padEnd(14)}${cells.map(cell).join("")}`);
const digits = (number, count = 4) => number.toFixed(count);

function print(model, results) {
  console.log(`\n${model}: nDCG@10; the interval is that of the default less the best simple rule (95 %, paired bootstrap)`);
  row("", [...Object.keys(RULES), "default", "regret", "from", "to", ...(isQuick ? [] : ["left out", "weight"])]);
  for (const result of results) {
    const { rules, auto, best } = result;
    const bestRule = Object.keys(rules).find((rule) => rules[rule]["ndcg@10"] === best);
    const pairs = auto.perQuery.map((query, place) => query["ndcg@10"] - rules[bestRule].perQuery[place]["ndcg@10"]);
    const [from, to] = interval(pairs, generatorOf(result.name));
    const cells = Object.values(rules).map((figures) => digits(figures["ndcg@10"]));
    cells.push(digits(auto["ndcg@10"]), digits(best - auto["ndcg@10"]), digits(from), digits(to));
    if (!isQuick && results.length > 1) {
      const place = tunedWithout(results, result);
      result.leftOut = result.regrets[place];
      cells.push(digits(result.leftOut), WEIGHTS[place]);
    }
    row(result.name, cells);
  }
  console.log(`\n${model}: queries that must find nothing, and the recall@10 that is lost to it`);
  row("", ["off topic", "gibberish", "lost"]);
  for (const { name, offTopic, gibberish, lost } of results) {
    row(name, [digits(offTopic, 3), gibberish === undefined ? "-" : digits(gibberish, 3), digits(lost)]);
  }
  if (isQuick) checkFloors(model, results);
  else check(model, results);
}

function checkFloors(model, results) {
  for (const { name, auto, rules, offTopic, gibberish, lost } of results) {
    const gain = auto["ndcg@10"] - rules.keyword["ndcg@10"];
    expect(`${model}, ${name}: the default is ${digits(gain)} above keyword, at least ${FLOORS.gain}`, gain >= FLOORS.gain);
    expect(`${model}, ${name}: ${digits(offTopic, 3)} of off-topic queries find nothing`, offTopic >= FLOORS.empty);
    expect(`${model}, ${name}: ${digits(gibberish, 3)} of gibberish finds nothing`, gibberish >= FLOORS.gibberish);
    expect(`${model}, ${name}: recall@10 lost is ${digits(lost)}`, lost <= FLOORS.lost);
  }
}

function check(model, results) {
  for (const { name, auto, best, rules, leftOut, offTopic, gibberish, lost } of results) {
    const regret = leftOut ?? best - auto["ndcg@10"];
    expect(`${model}, ${name}: regret ${digits(regret)} is at most ${FIGURES.regret}`, regret <= FIGURES.regret);
    if (model !== "minilm") {
      const keyword = rules.keyword["ndcg@10"];
      expect(`${model}, ${name}: ${digits(auto["ndcg@10"])} is not below keyword ${digits(keyword)}`, auto["ndcg@10"] >= keyword);
    }
    expect(`${model}, ${name}: ${digits(offTopic, 3)} of off-topic queries find nothing`, offTopic >= FIGURES.empty);
    expect(`${model}, ${name}: ${digits(gibberish ?? 1, 3)} of gibberish finds nothing`, (gibberish ?? 1) >= FIGURES.empty);
    expect(`${model}, ${name}: recall@10 lost is ${digits(lost)}`, lost <= FIGURES.lost);
  }
  const gain = mean(results.map(({ auto, rules }) => auto["ndcg@10"] - rules["sum .5"]["ndcg@10"]));
  console.log(`${model}: the default's mean less that of sum .5: ${digits(gain)}`);
  expect(`${model}: the mean is ${digits(gain)} above that of sum .5`, gain >= FIGURES.gain);
}

/** Checks the keyword and vector legs against the recorded figures. */
function checkLegs({ name, rules, model }) {
  const file = join(data, "baselines.json");
  const recorded = existsSync(file) ? JSON.parse(readFileSync(file, "utf8"))[name] : undefined;
  if (!recorded || model !== "minilm") return;
  const { fts5, minilm } = recorded;
  expect(`${name}: keyword is FTS5's ${fts5} to four digits`, Math.abs(rules.keyword["ndcg@10"] - fts5) <= 0.00005 + 1e-9);
  expect(`${name}: vectors within .001 of ${minilm}`, Math.abs(rules.vector["ndcg@10"] - minilm) <= 0.001);
}

try {
  const names = readdirSync(data).filter((name) => existsSync(join(data, name, "docs.jsonl")));
  const all = names.map((name) => new Collection(name));
  const chosen = only.length > 0 ? all.filter(({ name }) => only.includes(name)) : all;
  const models = [["minilm"], ...statics];
  for (const [model, table] of models) {
    const results = [];
    for (const collection of chosen) {
      if (!table && !collection.hasMiniLm) continue;
      const snapshot = table
        ? { file: collection.build(`${model}.snap`, "--embed", `static:${table}`) }
        : {
            file: collection.build("minilm.snap", "--vectors", `minilm=${collection.at("docs.minilm.f32")}`, "--encoding", "f32"),
            vectors: collection.at("queries.minilm.f32"),
          };
      const result = measure(collection, model, snapshot, all);
      checkLegs(result);
      results.push(result);
      process.stderr.write(`${model} ${collection.name}\n`);
    }
    if (results.length > 0) print(model, results);
  }
  console.log(failures.length === 0 ? "\nevery figure is reached" : `\nNOT reached:\n  ${failures.join("\n  ")}`);
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failures.length === 0 ? 0 : 1;
