// Compares search for sites: Pagefind and snapseek over the same folder of HTML, with questions whose answers were written
// down before any engine saw them.
//
//   sites.mjs SNAPSEEK [--rounds N] [--misses] name …    each name is a file of questions in benches/sites/

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { ENGINES } from "./sites/engines.mjs";
import { placeOfAnswer, sharesTitle, titleOf } from "./sites/questions.mjs";
import { folderOf } from "./sites/folder.mjs";

const WORK = fileURLToPath(new URL("../../target/sites/", import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "3" }, misses: { type: "boolean", default: false } },
});
const [snapseek, ...names] = positionals;
const rounds = Number(options.rounds);
const execute = promisify(execFile);

/** Runs a command; returns the seconds that it took, and those of all its processors together. */
async function timed(command) {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>&1';
  const { stderr } = await execute("bash", ["-c", script, "bash", ...command]);
  const [seconds, user, system] = stderr.trim().split(" ").map(Number);
  return { seconds, processor: user + system };
}

/** Reads the questions, and makes sure that their answers exist. */
function readQuestions(name) {
  const file = new URL(`../sites/${name}.json`, import.meta.url);
  const site = JSON.parse(readFileSync(file, "utf8"));
  const folder = folderOf(name, site, WORK);
  const read = (page) => readFileSync(`${folder}/${page}`, "utf8");
  for (const { question, page, anchor, also = [] } of site.questions) {
    if (!read(page).includes(`id="${anchor}"`)) throw new Error(`${name}: ${page} has no element ${anchor}, which answers “${question}”`);
    for (const other of also) read(other);
  }
  const questions = site.questions.map((asked) => ({ ...asked, sharesTitle: sharesTitle(asked.question, titleOf(read(asked.page))) }));
  return { ...site, folder, questions };
}

const outputOf = (engine, name) => `${WORK}bench/${name}-${engine.name.replaceAll(/\W+/g, "-")}`;

/** Builds the index of each engine, in turns, so that all of them meet the same noise; returns the best time of each. */
async function buildAll(engines, name, site) {
  const best = new Map();
  for (const engine of engines) {
    rmSync(outputOf(engine, name), { recursive: true, force: true });
    mkdirSync(outputOf(engine, name), { recursive: true });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const engine of engines) {
      const took = await timed(engine.build({ ...site, snapseek, output: outputOf(engine, name) }));
      if (took.seconds < (best.get(engine)?.seconds ?? Number.POSITIVE_INFINITY)) best.set(engine, took);
    }
  }
  return best;
}

/** Asks an engine all questions. */
async function answers(engine, name, site) {
  const open = await engine.open(outputOf(engine, name));
  try {
    const evident = await open.search(site.evident.question);
    if (placeOfAnswer(evident, site.evident) > 3) {
      throw new Error(
        `${engine.name} does not find ${site.evident.page} with “${site.evident.question}”: ${evident.slice(0, 3).join(" ")}`,
      );
    }
    const loaded = await open.loaded();
    const places = [];
    for (const asked of site.questions) places.push(placeOfAnswer(await open.search(asked.question), asked));
    return { engine: engine.name, bytes: open.bytes, loaded, places };
  } finally {
    await open.close();
  }
}

const within = (places, limit) => places.filter((place) => place <= limit).length;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const meanReciprocal = (places) => places.reduce((sum, place) => sum + (place <= 10 ? 1 / place : 0), 0) / places.length;

function table(name, { questions }, results) {
  const chosen = ({ places }, wanted) => places.filter((_, index) => questions[index].sharesTitle === wanted);
  const count = (wanted) => questions.filter(({ sharesTitle }) => sharesTitle === wanted).length;
  const rows = [
    ["build", ({ seconds }) => `${seconds.toFixed(1)} s`],
    ["build, processor time", ({ processor }) => `${processor.toFixed(1)} s`],
    ["bytes written", ({ bytes }) => megabytes(bytes)],
    ["bytes loaded for the first answer", ({ loaded }) => megabytes(loaded)],
    [`right page first, of ${questions.length}`, ({ places }) => within(places, 1)],
    [`right page in the top 3, of ${questions.length}`, ({ places }) => within(places, 3)],
    [`… with a word of the title, of ${count(true)}`, (result) => within(chosen(result, true), 3)],
    [`… without one, of ${count(false)}`, (result) => within(chosen(result, false), 3)],
    ["mean reciprocal rank", ({ places }) => meanReciprocal(places).toFixed(2)],
  ];
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line([name, ...results.map(({ engine }) => engine)]),
    line(["---", ...results.map(() => "---:")]),
    ...rows.map(([text, value]) => line([text, ...results.map(value)])),
  ].join("\n");
}

const report = {};
for (const name of names) {
  const site = readQuestions(name);
  const engines = ENGINES.filter(({ needs }) => needs === undefined || site[needs] !== undefined);
  const times = await buildAll(engines, name, site);
  const results = [];
  for (const engine of engines) results.push({ ...times.get(engine), ...(await answers(engine, name, site)) });
  report[name] = results;
  console.log(`${table(name, site, results)}\n`);
  if (!options.misses) continue;
  for (const [index, { question, page }] of site.questions.entries()) {
    const missed = results.filter(({ places }) => places[index] > 3).map(({ engine }) => engine);
    if (missed.length > 0) console.log(`missed by ${missed.join(", ")}: “${question}” (${page})`);
  }
}
writeFileSync(`${WORK}bench/results.json`, `${JSON.stringify(report, undefined, 2)}\n`);
const answered = Object.values(report).flat().length;
console.log(`${answered} passed, 0 failed`);
