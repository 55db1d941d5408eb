// The page in www/, with snapshots of many schemas: facets, titles, dates and links come from the schema and the records.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { chromium } from "playwright-core";
import { build } from "../../pkg/node.js";
import { CHROMIUM } from "./browser.mjs";
import { serve } from "./serve.mjs";

let browser;

before(async () => {
  browser = await chromium.launch(CHROMIUM);
});
after(() => browser?.close());

/** Opens the page with a snapshot of these records, calls `work`, and checks that the browser had nothing to complain about. */
async function withPage(records, schema, work) {
  const engine = await build(records, schema);
  const server = await serve(engine.snapshot());
  engine.free();
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const visit = async (search = "") => {
    await page.goto(server.address + search);
    await page.waitForSelector("#query:enabled");
  };
  const texts = (selector) => page.locator(selector).allTextContents();
  try {
    await work({ page, visit, texts, server });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(complaints, []);
  } finally {
    await page.close();
    await server.stop();
  }
}

const sample = (name) => readFile(new URL(`../../samples/${name}.jsonl`, import.meta.url), "utf8");

describe("a page of documents with links", () => {
  const documents = [
    { id: "a#0", title: "Install", heading: "Guide > Linux", text: "Install the package on Linux.", url: "https://docs.example/install/", anchor: "linux", lang: "en" },
    { id: "a#1", title: "Install", heading: "Guide > Windows", text: "Install the package on Windows.", url: "https://docs.example/install/#windows", anchor: "x", lang: "de" },
    { id: "b#0", title: "Package", heading: "Package", text: "A package of <b>parts</b>.", url: "javascript:document.title='taken'", lang: "en" },
  ];
  const schema = { fields: { title: { weight: 5 }, heading: {}, text: {} }, attributes: { url: "keyword", anchor: "keyword", lang: "keyword" } };

  it("links each title to its section, and only to pages", () =>
    withPage(documents, schema, async ({ page, visit, texts }) => {
      await visit("?q=package");
      const links = await page.locator("h2 a").evaluateAll((links) => links.map(({ href }) => href));
      assert.deepEqual(links.sort(), ["https://docs.example/install/#linux", "https://docs.example/install/#windows"]);
      assert.deepEqual(await texts("h2 button"), ["Package"]);
      assert.ok((await texts(".path")).includes("Guide > Linux"));
      assert.deepEqual(await texts("legend"), ["Lang"], "addresses are no facets");
      assert.deepEqual((await texts("fieldset span")).sort(), ["English", "German"]);
    }));

  it("links records without a host to the pages that the server names, and to nothing where it names none", () => {
    const local = { id: "c", title: "Local", heading: "Local", text: "A local page.", url: "/guide/a b", path: "guide/a b#1.html", anchor: "über" };
    return withPage([local], schema, async ({ page, visit, texts, server }) => {
      const snapshot = await (await fetch(`${server.address}demo.snap`)).arrayBuffer();
      await visit("?q=local");
      assert.deepEqual([await texts("h2 a"), await texts("h2 button")], [[], ["Local"]]);
      const headers = { "snapseek-pages": "http://127.0.0.1:9/" };
      await page.route("**/demo.snap", (route) => route.fulfill({ body: Buffer.from(snapshot), headers }));
      await visit("?q=local");
      const links = await page.locator("h2 a").evaluateAll((links) => links.map(({ href }) => href));
      assert.deepEqual(links, ["http://127.0.0.1:9/guide/a%20b%231.html#%C3%BCber"]);
    });
  });

  it("shows the whole text without leaving the page", () =>
    withPage(documents, schema, async ({ page, visit, texts }) => {
      await visit("?q=linux");
      await page.getByRole("button", { name: "Whole text" }).click();
      assert.deepEqual(await texts("h3"), ["Heading", "Text"]);
      assert.match((await texts(".whole"))[1], /Install the package on Linux/);
    }));
});

describe("a page of rows", () => {
  const rows = Array.from({ length: 40 }, (_, row) => ({
    id: String(row),
    name: `Lamp ${row}`,
    description: "A lamp for the desk",
    colour: `colour ${row % 20}`,
    serial: `serial-${row}`,
    inStock: row % 3 === 0,
    price: 10 + row,
    mode: row % 2 ? "day" : "night",
    addedOn: `2024-02-${String((row % 28) + 1).padStart(2, "0")}`,
  }));
  const attributes = { colour: "keyword", serial: "keyword", inStock: "bool", price: "number", mode: "keyword", addedOn: "time" };
  const schema = { fields: { description: {}, name: {} }, attributes };

  it("takes titles, dates and facets from the schema", () =>
    withPage(rows, schema, async ({ page, visit, texts }) => {
      await visit("?q=lamp");
      assert.match((await texts("h2"))[0], /^Lamp \d+$/);
      assert.match((await texts("time"))[0], /^Feb \d+, 2024$/);
      const shown = await page.locator("fieldset:visible legend").allTextContents();
      assert.deepEqual(shown, ["Colour", "In stock", "Mode"], "values of one record each are no choice");
      const colours = page.getByRole("group", { name: "Colour" });
      assert.equal(await colours.getByRole("checkbox").count(), 8);
      await colours.getByRole("button", { name: "Show 12 more" }).click();
      assert.equal(await colours.getByRole("checkbox").count(), 20);
      await colours.getByRole("button", { name: "Show fewer" }).click();
      assert.equal(await colours.getByRole("checkbox").count(), 8);
    }));

  it("filters by yes and no, and by an attribute whose name the address uses", () =>
    withPage(rows, schema, async ({ page, visit }) => {
      const count = async () => parseInt(await page.locator("#status").textContent(), 10);
      await visit("?q=lamp");
      const stock = page.getByRole("group", { name: "In stock" });
      await stock.getByRole("checkbox", { name: "true" }).check();
      assert.equal(await count(), 14);
      await stock.getByRole("checkbox", { name: "false" }).check();
      assert.equal(await count(), 40);
      await page.getByRole("button", { name: "Remove all filters" }).click();
      await page.getByRole("group", { name: "Mode" }).getByRole("checkbox", { name: "night" }).check();
      assert.equal(await count(), 20);
      assert.match(page.url(), /\?q=lamp&\.mode=night$/);
      await visit("?q=lamp&inStock=perhaps&.mode=night");
      assert.equal(await count(), 0);
    }));
});

describe("a page of records without attributes", () => {
  it("shows the start of a long text as the title, and offers examples", () =>
    withPage([{ id: "1", text: `Short words first. ${"And many more words follow here. ".repeat(20)}` }, { id: "2", text: "Short" }], undefined, async ({ page, visit, texts }) => {
      await visit();
      assert.match(await page.locator("#nothing").textContent(), /^Type to search text\./);
      assert.deepEqual(await texts(".examples button"), ["Short"]);
      await page.getByRole("button", { name: "Short" }).click();
      const titles = await texts("h2");
      assert.deepEqual(titles.map((title) => title.length <= 91), [true, true]);
      assert.ok(titles.some((title) => /^Short words first\. And many.*…$/.test(title)));
      assert.equal(await page.locator(".snippet:visible").count(), 1, "a short text is the title alone");
      assert.ok(await page.locator("#filters").isHidden());
    }));

  it("finds whole words and their beginnings, with stems alone", () =>
    withPage([{ id: "1", text: "Install it" }, { id: "2", text: "Installieren" }, { id: "3", text: "Installed by hand" }], undefined, async ({ visit, texts }) => {
      for (const [query, found] of [["install", ["1", "3"]], ["instal", ["1", "2", "3"]], ["hand installier", ["2", "3"]]]) {
        await visit(`?q=${query}`);
        const expected = { 1: "Install it", 2: "Installieren", 3: "Installed by hand" };
        assert.deepEqual((await texts("h2")).sort(), found.map((id) => expected[id]).sort(), query);
      }
    }));

  it("opens an empty snapshot", () =>
    withPage([], { fields: { text: {} } }, async ({ page, visit }) => {
      await visit("?q=word");
      assert.match(await page.locator("#nothing").textContent(), /^Nothing found/);
    }));
});

describe("a page of a preset", () => {
  const queries = { memory: "deploy", rag: "timetable", unified: "tickets", vault: "jwt" };
  for (const [preset, query] of Object.entries(queries)) {
    it(`shows the sample of ${preset}`, () =>
      sample(preset).then((records) =>
        withPage(records, preset, async ({ page, visit, texts }) => {
          await visit(`?q=${query}&explain=`);
          const titles = await texts("h2");
          assert.ok(titles.length > 0 && titles.every((title) => title.trim() !== ""), titles.join());
          assert.match((await texts("time"))[0], /\d{4}$/);
          await page.locator("h2 button").first().click();
          assert.ok((await texts(".whole")).length > 0);
        }),
      ));
  }
});

describe("a page whose snapshot is watched", () => {
  it("shows a new snapshot for the same query", async () => {
    const snapshotOf = async (text) => {
      const engine = await build([{ id: "1", text }], { fields: { text: {} } });
      const bytes = Buffer.from(engine.snapshot());
      engine.free();
      return bytes;
    };
    let body = await snapshotOf("an old fox");
    let etag = '"1"';
    await withPage([], { fields: { text: {} } }, async ({ page, visit, texts }) => {
      const headers = () => ({ etag, "snapseek-watch": "1", "content-disposition": "inline; filename*=UTF-8''n%C3%BC.snap" });
      await page.route("**/demo.snap", (route) => route.fulfill({ body, headers: headers() }));
      await visit("?q=fox");
      assert.deepEqual(await texts("h2"), ["an old fox"]);
      assert.deepEqual(await texts("#name"), ["nü.snap"]);
      body = await snapshotOf("a new fox");
      etag = '"2"';
      await page.getByRole("heading", { name: "a new fox" }).waitFor();
      assert.equal(await page.inputValue("#query"), "fox");
    });
  });
});
