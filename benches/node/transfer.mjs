// Counts what a page downloads before its first answer and for each further one: Pagefind and snapseek over the same folder of
// HTML, from a server as slow as a phone's connection.
//
//   transfer.mjs SNAPSEEK name    the name is a file of questions in benches/sites/

import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { open } from "../../pkg/node.js";
import { CHROMIUM } from "../../js/test/browser.mjs";
import { folderOf } from "./sites/folder.mjs";
import { serveSlowly } from "./transfer/slow-server.mjs";

const ROOT = new URL("../../", import.meta.url);
const at = (path) => fileURLToPath(new URL(path, ROOT));
const { chromium } = createRequire(new URL("js/", ROOT))("playwright-core");
const WORK = at("target/sites/");
/** The number of results that both engines show: as many as Pagefind's own search box. */
const SHOWN = 5;
/** The number of questions. */
const ASKED = 50;

const [snapseek, name] = process.argv.slice(2);
const site = JSON.parse(readFileSync(new URL(`../sites/${name}.json`, import.meta.url), "utf8"));
const folder = folderOf(name, site, WORK);
const questions = site.questions.map(({ question }) => question).slice(0, ASKED);

/** Puts a brotli copy beside every script and module, as hosts keep them. */
function compress(path) {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|wasm|json)$/.test(entry.name)) continue;
    const file = `${entry.parentPath}/${entry.name}`;
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
  }
}

/** Makes the folder that a host would serve. */
function published(engine, fill) {
  const output = `${WORK}transfer/${name}-${engine}`;
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  fill(output);
  compress(output);
  writeFileSync(`${output}/index.html`, "<!doctype html><title>A page that searches</title>");
  return output;
}

const ENGINES = [
  {
    name: "Pagefind",
    folder: () =>
      published("pagefind", (output) => {
        const options = ["--site", folder, "--output-path", output];
        execFileSync(at("benches/sites/node_modules/.bin/pagefind"), options, { stdio: "ignore" });
      }),
    start: async () => {
      globalThis.pagefind = await import(new URL("/pagefind.js", location.href).href);
    },
    ask: async ({ question, limit }) => {
      const { results } = await globalThis.pagefind.search(question);
      const shown = await Promise.all(results.slice(0, limit).map((result) => result.data()));
      return shown.map(({ url }) => url);
    },
  },
  {
    name: "snapseek",
    folder: () =>
      published("snapseek", (output) => {
        execFileSync(snapseek, ["build", folder, "-o", `${output}/search.snap`], { stdio: "ignore" });
        cpSync(at("pkg"), `${output}/pkg`, { recursive: true });
      }),
    start: async () => {
      const { open } = await import(new URL("/pkg/search-web.js", location.href).href);
      globalThis.engine = await open("/search.snap", { load: "ranges" });
    },
    ask: async ({ question, limit }) => {
      const { hits } = await globalThis.engine.search(question, { limit, records: true });
      globalThis.rounds = globalThis.engine.transfer.rounds;
      return hits.map(({ id }) => id);
    },
    /** The answers in pieces are those of the whole file. */
    check: async (output, answers) => {
      const engine = await open(`${output}/search.snap`, { load: "whole" });
      for (const [index, question] of questions.entries()) {
        const { hits } = await engine.search(question, { limit: SHOWN });
        assert.deepEqual(
          answers[index],
          hits.map(({ id }) => id),
          question,
        );
      }
      engine.free();
    },
  },
];

async function measure(engine) {
  const output = engine.folder();
  const server = await serveSlowly(output);
  const browser = await chromium.launch(CHROMIUM);
  try {
    const page = await browser.newPage();
    await page.goto(server.address);
    server.take();
    const began = performance.now();
    await page.evaluate(engine.start);
    const answers = [await page.evaluate(engine.ask, { question: questions[0], limit: SHOWN })];
    const firstAnswer = performance.now() - began;
    const first = server.take();
    let rounds = 0;
    for (const question of questions.slice(1)) {
      answers.push(await page.evaluate(engine.ask, { question, limit: SHOWN }));
      rounds = Math.max(rounds, await page.evaluate(() => globalThis.rounds ?? Number.NaN));
    }
    const further = server.take();
    const evident = await page.evaluate(engine.ask, { question: site.evident.question, limit: SHOWN });
    assert.ok(evident.length > 0, `${engine.name} does not answer “${site.evident.question}”`);
    await engine.check?.(output, answers);
    const each = questions.length - 1;
    return { engine: engine.name, firstAnswer, first, further: further.bytes / each, requests: further.requests / each, rounds };
  } finally {
    await browser.close();
    await server.stop();
  }
}

const results = [];
for (const engine of ENGINES) results.push(await measure(engine));
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
const rows = [
  ["bytes before the first answer, script and module included", ({ first }) => kilobytes(first.bytes)],
  ["requests before the first answer", ({ first }) => first.requests],
  ["time to the first answer, cold", ({ firstAnswer }) => `${firstAnswer.toFixed(0)} ms`],
  [`bytes of each further question, mean of ${questions.length - 1}`, ({ further }) => kilobytes(further)],
  ["requests of each further question, mean", ({ requests }) => requests.toFixed(1)],
  ["rounds of requests, most", ({ rounds }) => (Number.isNaN(rounds) ? "–" : rounds)],
];
const line = (cells) => `| ${cells.join(" | ")} |`;
console.log(line([`${name}, ${SHOWN} results, 50 ms, 20 Mbit/s`, ...results.map(({ engine }) => engine)]));
console.log(line(["---", ...results.map(() => "---:")]));
for (const [text, value] of rows) console.log(line([text, ...results.map(value)]));
console.log("1 passed, 0 failed");
