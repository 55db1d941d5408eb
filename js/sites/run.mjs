// Builds the small sites with their generators, makes a snapshot of each, and searches for every heading: the link of the
// hit, opened in Chromium, must show that heading. One line per site, and the totals.
//
//   run.mjs SNAPSEEK [word …]    the path of the command line; only the sites whose names contain one of the words

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { serve } from "../packaging/server.mjs";
import { CHROMIUM } from "../test/browser.mjs";
import { CACHE, GENERATORS } from "./generators.mjs";
import { headingsOf, idsOf, shownAt } from "./headings.mjs";

const [snapseek, ...words] = process.argv.slice(2);
const execute = promisify(execFile);
const ask = async (...args) => (await execute(snapseek, args, { maxBuffer: 1 << 26 })).stdout;
/** A heading is found if it is among these many hits, with the sections under each. */
const HITS = 3;
/** Text around the pages, and the pages that no reader should find. */
const CHROME = /made of clay|copyright of nobody|skip to content|grown by nobody|edit this page|fallen off the tree|¶|\u200b/i;
const UNSEARCHED = /(^|\/)(404|genindex|search|py-modindex)(\/index)?\.html$/;

const linkOf = ({ url, anchor }) => (anchor ? `${url}#${anchor}` : url);

/** Builds a snapshot; returns its file and the records that it holds. */
async function snapshotOf(name, input, ...options) {
  const file = `${CACHE}${name.replaceAll(/\W+/g, "-").toLowerCase()}.snap`;
  await ask("build", input, "-o", file, ...options);
  const records = (await ask("export", file))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { file, records: records.filter((record) => record.url !== undefined) };
}

/** Calls `work` for all values, on several pages of the browser at a time. */
async function onPages(context, values, work) {
  const rest = [...values];
  const worker = async () => {
    const page = await context.newPage();
    for (let value = rest.shift(); value !== undefined; value = rest.shift()) await work(page, value);
    await page.close();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, worker));
}

/** Reads all pages of a site in the browser: the headings within its content, and the ids that links can lead to. */
async function readPages(context, address, built, content) {
  const files = (await readdir(built, { recursive: true })).filter((file) => file.endsWith(".html") && !UNSEARCHED.test(file));
  const pages = new Map();
  await onPages(context, files.sort(), async (page, file) => {
    const url = `/${file.replace(/(^|\/)index\.html$/, "$1")}`;
    await page.goto(address + url.slice(1), { waitUntil: "domcontentloaded" });
    pages.set(url, { headings: await page.evaluate(headingsOf, content), ids: new Set(await page.evaluate(idsOf)) });
  });
  return pages;
}

/** The question for a heading: its words, and if another heading has the same, those of the heading above it. */
function questionFor(heading, all) {
  const isUnique = all.filter(({ text }) => text === heading.text).length === 1;
  return isUnique ? heading.text : `${heading.above} ${heading.text}`;
}

async function checkHeading(page, address, snapshot, heading, all, fail) {
  const question = questionFor(heading, all);
  const { hits } = JSON.parse(await ask("search", snapshot, "--json", "--records", "--limit", String(HITS), "--", question));
  const found = hits.flatMap((hit) => [hit, ...(hit.children ?? [])]).map(({ record }) => record);
  const placeOf = ({ url, anchor }) => (url === heading.url ? heading.places.find((place) => place.anchor === anchor) : undefined);
  const match = found.find(placeOf);
  if (!match)
    return fail(`“${question}” finds ${found.map(linkOf).join(" ") || "nothing"}, not ${linkOf({ ...heading, ...heading.places[0] })}`);
  await page.goto(address + linkOf(match).slice(1), { waitUntil: "domcontentloaded" });
  const fault = await page.evaluate(shownAt, placeOf(match));
  if (fault !== "") fail(`${linkOf(match)} for “${question}”: ${fault}`);
}

/** Checks one site; returns how many claims held, and what failed. */
async function checkSite(context, { name, content, slugs = undefined, build }) {
  const failed = [];
  let claims = 0;
  const claim = (isTrue, fault) => void (isTrue ? (claims += 1) : failed.push(fault));
  const { built, markdown } = await build();
  const server = await serve([built]);
  try {
    const { file, records } = await snapshotOf(name, built);
    const pages = await readPages(context, server.address, built, content);
    const headings = [...pages].flatMap(([url, page]) => page.headings.map((heading) => ({ ...heading, url })));
    claim(headings.length >= 20, `the site has only ${headings.length} headings: the selector ${content} is wrong`);
    await onPages(context, headings, async (page, heading) => {
      const before = failed.length;
      await checkHeading(page, server.address, file, heading, headings, (fault) => failed.push(fault));
      claims += failed.length === before ? 1 : 0;
    });
    for (const record of records) {
      const page = pages.get(record.url);
      claim(page && (!record.anchor || page.ids.has(record.anchor)), `the record ${record.id} has the dead link ${linkOf(record)}`);
      claim(!CHROME.test(record.text), `the record ${record.id} holds text around the page: ${CHROME.exec(record.text)}`);
    }
    if (markdown) {
      const { records: written } = await snapshotOf(`${name} sources`, markdown, "--slugs", slugs);
      for (const record of written) {
        const { url } = record;
        const page = pages.get(slugs === "github" ? rendered(url) : url);
        claim(
          page && (!record.anchor || page.ids.has(record.anchor)),
          `the Markdown record ${record.id} has the dead link ${linkOf(record)}`,
        );
      }
    }
  } finally {
    await server.stop();
  }
  return { claims, failed };
}

/** The address that Hugo gives to the page of a Markdown file, which on GitHub is its own address. */
const rendered = (url) => url.replace(/\.md$/, "/").replace(/\/_?index\/$/, "/");

const started = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const browser = await chromium.launch(CHROMIUM);
const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
let passed = 0;
let failures = 0;
const skipped = [];
const isWanted = (name) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()));
for (const generator of GENERATORS.filter(({ name }) => isWanted(name))) {
  const began = performance.now();
  try {
    await generator.install();
  } catch (error) {
    skipped.push(generator.name);
    console.log(
      `SKIPPED ${generator.name}: it cannot be installed: ${String(error.stderr || error.message)
        .trim()
        .split("\n")
        .slice(0, 3)
        .join(" ")}`,
    );
    continue;
  }
  const installed = seconds(began);
  const built = performance.now();
  const { claims, failed } = await checkSite(context, generator).catch((error) => ({ claims: 0, failed: [error.stack] }));
  const isGood = failed.length === 0;
  if (isGood) passed += 1;
  else failures += 1;
  console.log(`${isGood ? "ok" : "FAILED"} ${generator.name}: ${claims} claims (installed in ${installed}, checked in ${seconds(built)})`);
  for (const fault of failed) console.log(`       ${fault}`);
}
await browser.close();
if (skipped.length > 0) console.log(`SKIPPED ${skipped.length} of ${GENERATORS.length} sites`);
console.log(`sites: ${seconds(started)}`);
console.log(`${passed} passed, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;
