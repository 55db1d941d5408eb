// The benchmark: builds, opens, checks and times every engine, and writes the results to one JSON file.
//
//   node run.mjs --records FILE --queries FILE --work FOLDER --results FILE [--quick]
//
// Engines take turns, so that a slow minute of the machine affects all of them. The best of several rounds counts, because
// other load on the machine can only add time.

import { readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkExact, checkFound, overlap } from "./check.mjs";
import { ENGINES, ORACLE } from "./engines.mjs";
import { median, percentile } from "./measure.mjs";
import { EngineProcess } from "./process.mjs";
import { records } from "./records.mjs";

const { values: options } = parseArgs({
  options: {
    records: { type: "string" },
    queries: { type: "string" },
    work: { type: "string" },
    results: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const rounds = options.quick ? { build: 1, open: 2, search: 3 } : { build: 3, open: 5, search: 5 };
/** V8 compiles hot loops late, so the first turn of a class has a long warm-up and later turns a short one. */
const warmUp = options.quick ? { first: 100, later: 10 } : { first: 1500, later: 50 };

const recordLines = readFileSync(options.records, "utf8");
const ids = Array.from(records(recordLines), (record) => record.id);
const queries = readFileSync(options.queries, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const classes = [...new Set(queries.map((query) => query.class))];
const ofClass = (name) => queries.filter((query) => query.class === name);
const indexFolder = (engine) => join(options.work, "index", engine.name);
const progress = (text) => console.error(`bench: ${text}`);

/** Builds the index of every engine in each round; returns figures by engine name, and the reasons for absent engines. */
async function buildAll() {
  const built = {};
  const absent = {};
  for (let round = 0; round < rounds.build; round++) {
    for (const engine of ENGINES) {
      // A round ends with the one-thread build, so that its index is the one that is searched.
      for (const threads of engine.threads.toReversed()) {
        if (absent[engine.name]) continue;
        const process = new EngineProcess(engine.command);
        const request = { do: "build", records: options.records, index: indexFolder(engine), threads };
        const answer = await process.ask(request);
        await process.stop();
        if (answer.absent) absent[engine.name] = answer.absent;
        else ((built[engine.name] ??= {})[threads] ??= []).push(answer);
      }
    }
    progress(`built, round ${round + 1} of ${rounds.build}`);
  }
  return { built, absent };
}

/** Opens every engine in a new process in each round; the processes of the last round stay for searching. */
async function openAll(engines) {
  const processes = {};
  const opened = {};
  for (let round = 0; round < rounds.open; round++) {
    for (const engine of engines) {
      await processes[engine.name]?.stop();
      const process = (processes[engine.name] = new EngineProcess(engine.command));
      const request = { do: "open", index: indexFolder(engine), queries: options.queries, first: "or-2-5" };
      (opened[engine.name] ??= []).push(await process.ask(request));
    }
  }
  progress(`opened ${rounds.open} times each`);
  return { processes, opened };
}

/** Returns the answers of every engine to every class, with ids in place of rows; undefined if an engine lacks that query type. */
async function answersOf(process, name) {
  const { answers } = await process.ask({ do: "answer", class: name });
  return answers?.map((hits) => hits.map(([document, score]) => [typeof document === "number" ? ids[document] : document, score]));
}

/** Checks every answer against the oracle; returns the overlap by engine and class. */
async function checkAll(engines, processes) {
  const overlaps = {};
  const oracleLines = [];
  for (const name of classes) {
    const asked = ofClass(name);
    const oracle = await answersOf(processes[ORACLE], name);
    asked.forEach((query, i) => oracleLines.push(`${JSON.stringify({ match: query.match, hits: oracle[i] })}\n`));
    for (const engine of engines) {
      const answers = await answersOf(processes[engine.name], name);
      if (!answers) continue;
      const check = engine.exact ? checkExact : checkFound;
      check(engine.name, asked, answers, oracle);
      (overlaps[engine.name] ??= {})[name] = overlap(answers, oracle);
    }
  }
  writeFileSync(join(options.work, "oracle.jsonl"), oracleLines.join(""));
  progress(`answers to ${queries.length} queries checked`);
  return overlaps;
}

/** Returns p50, p95 and p99 in nanoseconds by engine and class, from each query's best time over the rounds. */
async function timeAll(engines, processes, overlaps) {
  const times = {};
  for (const name of classes) {
    const taking = engines.filter((engine) => overlaps[engine.name]?.[name] !== undefined);
    const turns = {};
    for (let round = 0; round < rounds.search; round++) {
      for (const engine of taking) {
        const warmUpMilliseconds = round === 0 ? warmUp.first : warmUp.later;
        const answer = await processes[engine.name].ask({ do: "measure", class: name, warmUpMilliseconds });
        (turns[engine.name] ??= []).push(answer.nanoseconds);
      }
    }
    for (const engine of taking) {
      const perQuery = ofClass(name).map((_, i) => Math.min(...turns[engine.name].map((turn) => turn[i])));
      (times[engine.name] ??= {})[name] = {
        p50: percentile(perQuery, 50),
        p95: percentile(perQuery, 95),
        p99: percentile(perQuery, 99),
      };
    }
    progress(`timed ${name}`);
  }
  return times;
}

/** Returns the best time, and the median of every other figure, over the rounds. */
function summary(answers) {
  const figures = Object.keys(answers[0]).filter((key) => typeof answers[0][key] === "number");
  return Object.fromEntries(
    figures.map((key) => {
      const seen = answers.map((answer) => answer[key]);
      return [key, key.endsWith("Seconds") ? Math.min(...seen) : median(seen)];
    }),
  );
}

const { built, absent } = await buildAll();
const engines = ENGINES.filter((engine) => !absent[engine.name]);
const { processes, opened } = await openAll(engines);
const overlaps = await checkAll(engines, processes);
const times = await timeAll(engines, processes, overlaps);
for (const engine of engines) await processes[engine.name].stop();

const results = {
  quick: options.quick,
  records: ids.length,
  recordBytes: Buffer.byteLength(recordLines),
  recordsSha256: createHash("sha256").update(recordLines).digest("hex"),
  queriesPerClass: ofClass(classes[0]).length,
  classes,
  machine: { processor: cpus()[0]?.model, cores: cpus().length, node: process.version },
  engines: ENGINES.map(({ name, title, exact, threads }) => ({
    name,
    title,
    exact,
    absent: absent[name],
    build: absent[name] ? undefined : Object.fromEntries(threads.map((count) => [count, summary(built[name][count])])),
    open: absent[name] ? undefined : summary(opened[name]),
    overlap: overlaps[name],
    nanoseconds: times[name],
  })),
};
writeFileSync(options.results, `${JSON.stringify(results, null, 1)}\n`);
