// Looks at `snapseek serve` in Chromium, at the widths of a phone and of a desk: five snapshots of different schemas. Each
// shows titles, links where there is a page, and nothing that the browser complains about.
//
//   served.mjs SNAPSEEK [FOLDER]    the path of the command line, and a folder for screenshots

import { execFile, spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { printed } from "../packaging/process.mjs";
import { CHROMIUM } from "../test/browser.mjs";

const SOURCES = fileURLToPath(new URL("served/", import.meta.url));
const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));
const WORK = fileURLToPath(new URL("../../target/sites/served/", import.meta.url));
const WIDTHS = [390, 1280];

const [snapseek, screenshots] = process.argv.slice(2);
const execute = promisify(execFile);

/** Makes a database of the statements in a file. Python comes with SQLite. */
async function database(sql) {
  const file = `${WORK}posts.db`;
  await execute("python3", [
    "-c",
    "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])",
    file,
    await readFile(sql, "utf8"),
  ]);
  return file;
}

async function built(name, input, ...options) {
  const file = `${WORK}${name}.snap`;
  await execute(snapseek, ["build", input, "-o", file, ...options]);
  return file;
}

/** `titles` are those that the query finds, in any order; `links` are the paths of their pages; `facets` the groups of filters. */
const SNAPSHOTS = [
  {
    name: "a folder of pages",
    serve: async () => [`${SOURCES}site`],
    query: "ropes fees",
    titles: ["Mooring"],
    links: ["/guide/mooring.html#ropes", "/guide/mooring.html#fees"],
    facets: [],
    shows: { link: "Mooring", heading: "#ropes" },
  },
  {
    name: "a snapshot of pages whose folder is not known",
    serve: async () => [await built("harbour", `${SOURCES}site`)],
    query: "ropes fees",
    titles: ["Mooring"],
    links: [],
    facets: [],
  },
  {
    name: "an FTS5 table",
    serve: async () => [await built("posts", await database(`${SOURCES}posts.sql`), "--table", "posts_fts")],
    query: "baking flour",
    titles: ["Baking bread", "Baking in a pot", "Sourdough <starter>"],
    links: [],
    facets: [],
  },
  {
    name: "a CSV file",
    serve: async () => [await built("lamps", `${SOURCES}lamps.csv`, "--id", "sku")],
    query: "lamp",
    titles: ["Candle", "Desk lamp", "Floor lamp", "Lantern", "Lava lamp", "Reading light", "Ship's lamp", "Street lamp", "Sun lamp"],
    links: [],
    facets: ["Colour", "In stock"],
  },
  {
    name: "the preset for memories",
    serve: async () => [await built("memory", `${SAMPLES}memory.jsonl`, "--preset", "memory")],
    query: "deploy",
    links: [],
  },
  {
    name: "records without attributes",
    serve: async () => [await built("verses", `${SOURCES}verses.jsonl`)],
    query: "moon",
    titles: [/^The fox came down/, /^Nobody in the village/],
    links: [],
    facets: [],
  },
];

const isSame = (found, wanted) => (wanted instanceof RegExp ? wanted.test(found) : found === wanted);
const haveSame = (found, wanted) => found.length === wanted.length && wanted.every((one) => found.some((other) => isSame(other, one)));

/** Searches on a page of this width; returns what is wrong. */
async function look(browser, address, width, { name, query, titles = undefined, links, facets = undefined, shows = undefined }) {
  const faults = [];
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  const expect = (isTrue, fault) => isTrue || faults.push(fault);
  const texts = (selector) => page.locator(selector).allTextContents();
  const shot = (state) =>
    screenshots && page.screenshot({ path: `${screenshots}/${name.replaceAll(" ", "-")}-${width}-${state}.png`, fullPage: true });
  await page.goto(address);
  await page.waitForSelector("#query:enabled");
  await shot("start");
  await page.fill("#query", query);
  await page.waitForSelector("#results h2");
  await shot("results");
  const found = await texts("#results h2");
  if (titles) expect(haveSame(found, titles), `the titles are ${found.join(" | ")}`);
  expect(found.length > 0 && found.every((title) => title.trim() !== ""), "a hit has no title");
  const hrefs = await page.locator("#results :is(h2, .sections) a").evaluateAll((all) => all.map(({ href }) => href));
  const paths = hrefs.map((href) => href.replace(/^http:\/\/127\.0\.0\.1:\d+/, ""));
  expect(haveSame(paths, links), `the links are ${paths.join(" ")}`);
  const groups = await page
    .locator("fieldset legend")
    .evaluateAll((all) => all.filter((one) => !one.parentElement.hidden).map((one) => one.textContent));
  if (facets) expect(haveSame(groups, facets), `the facets are ${groups.join(", ")}`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the window");
  if (shows) {
    await page.getByRole("link", { name: shows.link, exact: true }).click();
    await page.waitForSelector(shows.heading);
    const { top, bottom } = await page.locator(shows.heading).evaluate((element) => element.getBoundingClientRect().toJSON());
    expect(top > -1 && bottom <= 800, `after the click, ${shows.heading} is at ${top}`);
    expect((await page.evaluate(() => scrollY)) > 0, "the page did not scroll to the heading");
  }
  await page.close();
  return faults;
}

await rm(WORK, { recursive: true, force: true });
await mkdir(WORK, { recursive: true });
if (screenshots) await mkdir(screenshots, { recursive: true });
const browser = await chromium.launch(CHROMIUM);
let passed = 0;
let failed = 0;
for (const snapshot of SNAPSHOTS) {
  const args = await snapshot.serve();
  const child = spawn(snapseek, ["serve", "--port", "0", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  try {
    const address = await printed(child, /http:\/\/127\.0\.0\.1:\d+\//);
    for (const width of WIDTHS) {
      const faults = await look(browser, address, width, snapshot);
      if (faults.length === 0) passed += 1;
      else failed += 1;
      console.log(`${faults.length === 0 ? "ok" : "FAILED"} serve ${snapshot.name}, ${width} px wide`);
      for (const fault of faults) console.log(`       ${fault}`);
    }
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGINT");
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
