// The page in www/, in a real browser, as a visitor uses it.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { chromium } from "playwright-core";
import { build } from "../../pkg/node.js";
import { lines, schema } from "./demo.mjs";
import { CHROMIUM } from "./browser.mjs";
import { serve } from "./serve.mjs";

const HOSTILE = {
  id: "hostile",
  title: "Hostile <img src=x onerror=\"document.title='taken'\"> title",
  body: "A body with <script>document.title = 'taken'</script> & <b onclick=alert(1)>markup</b> of its own.",
  topic: "security",
  level: "advanced",
  language: "en",
  tags: ["<i>tag</i>"],
  createdAt: "2024-01-01",
  path: "/handbook/<u>path</u>",
};

let server;
let browser;
let page;
let complaints;

before(async () => {
  const engine = await build(await lines(), await schema());
  engine.add([HOSTILE]);
  server = await serve(engine.snapshot());
  engine.free();
  browser = await chromium.launch(CHROMIUM);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  page = await browser.newPage();
  complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("response", (response) => response.status() >= 400 && complaints.push(`${response.status()} ${response.url()}`));
});
afterEach(async () => {
  await page.close();
  assert.deepEqual(complaints, []);
});

async function visit(search = "") {
  await page.goto(server.address + search);
  await page.waitForSelector("#query:enabled");
}
const texts = (selector) => page.locator(selector).allTextContents();
const status = () => page.locator("#status").textContent();

describe("the page", () => {
  it("shows hits, marks and the time while a visitor types", async () => {
    await visit();
    await page.keyboard.type("rollba");
    await page.waitForSelector("#results li");
    assert.equal((await texts("h2"))[0], "Rolling back in two minutes");
    assert.ok((await texts(".snippet mark")).includes("rollback"));
    assert.match(await status(), /^\d+ records? in [\d,]+ µs$/);
    assert.match(page.url(), /\?q=rollba$/);
    assert.ok(await page.locator("#modes").isHidden(), "without vectors there is no mode to choose");
  });

  it("opens a search from its address", async () => {
    await visit("?q=backup&topic=databases&explain=");
    assert.equal(await page.inputValue("#query"), "backup");
    assert.ok(await page.isChecked("#explain"));
    assert.ok(await page.getByRole("checkbox", { name: "databases" }).isChecked());
    for (const path of await texts(".path")) assert.match(path, /^\/handbook\/databases\//);
    assert.match((await texts(".explanation p"))[0], /^Score \d/);
    assert.match((await texts(".explanation caption"))[0], /^Words \d/);
  });

  it("filters by facets, whose counts are those of the results", async () => {
    await visit("?q=test");
    const label = page.locator("fieldset label", { hasText: /^testing/ }).first();
    const count = Number(await label.locator("small").textContent());
    await label.locator("input").check();
    assert.equal(parseInt(await status(), 10), count);
    for (const path of await texts(".path")) assert.match(path, /^\/handbook\/testing\//);
    assert.match(page.url(), /topic=testing/);
    await page.getByRole("button", { name: "Remove all filters" }).click();
    assert.ok(parseInt(await status(), 10) > count);
  });

  it("shows further results", async () => {
    await visit("?q=the");
    await page.getByRole("button", { name: "Show more" }).click();
    assert.equal(await page.locator("#results li").count(), 20);
  });

  it("can be used with the keyboard alone", async () => {
    await visit("?q=incident");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    const [, second] = await texts("h2");
    assert.equal(await focused(), second);
    const snippet = page.locator("#results li").nth(1).locator(".snippet");
    const before = (await snippet.textContent()).length;
    await page.keyboard.press("Enter");
    assert.ok((await snippet.textContent()).length > before);
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#query").evaluate((box) => box === document.activeElement));
    await page.keyboard.press("Escape");
    assert.equal(await page.inputValue("#query"), "");
    await page.locator("#explain").focus();
    await page.keyboard.press("/");
    assert.ok(await page.locator("#query").evaluate((box) => box === document.activeElement && box.value === ""));
  });

  it("corrects a word that no note contains", async () => {
    await visit("?q=keybord");
    assert.match(await page.locator("#corrected").textContent(), /keybord.*keyboard/);
    assert.match((await texts("h2"))[0], /keyboard/i);
  });

  it("finds words of two characters in Chinese and Japanese", async () => {
    for (const [query, word] of [["检索", "检索"], ["東京", "東京"]]) {
      await visit(`?q=${encodeURIComponent(query)}`);
      assert.ok((await texts("mark")).includes(word));
    }
  });

  it("says so when nothing is found", async () => {
    await visit("?q=zzzzzz");
    assert.equal(await page.locator("#results li").count(), 0);
    assert.match(await page.locator("#nothing").textContent(), /Nothing found/);
  });

  it("shows markup in records as text", async () => {
    await visit("?q=hostile+markup&explain=");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const article = page.locator("article").first();
    assert.match(await article.textContent(), /Hostile <img src=x onerror=/);
    assert.match(await article.textContent(), /<script>document\.title = 'taken'<\/script> & <b onclick/);
    assert.equal(await article.locator("img, script, b, i, u, [onclick], [onerror]").count(), 0);
    assert.notEqual(await page.title(), "taken");
    assert.deepEqual(await article.locator("[data-type=keywords]").allTextContents(), ["<i>tag</i>"]);
  });

  it("fits a phone, and names its controls", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await visit("?q=alert&explain=");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.getByRole("searchbox", { name: "Search the snapshot" }).waitFor();
    await page.getByRole("complementary", { name: "Filters" }).getByText("Filters", { exact: false }).first().click();
    await page.getByRole("group", { name: "Topic" }).waitFor();
  });
});

describe("a page whose snapshot has vectors", () => {
  let keywordServer;

  before(async () => {
    const engine = await build(await lines(), { ...(await schema()), vectors: { own: { embedder: "hash" } } });
    keywordServer = server;
    server = await serve(engine.snapshot());
    engine.free();
  });
  after(async () => {
    await server.stop();
    server = keywordServer;
  });

  it("searches by words, by meaning or by both, as the URL says", async () => {
    await visit("?q=rolling+back+releases&explain=");
    assert.match(await status(), /with these words, and similar records/);
    assert.match((await texts(".explanation p"))[0], /Words add \d\.\d+, meaning adds \d\.\d+\./);
    await page.selectOption("#mode", "vector");
    assert.match(await status(), /by similarity/);
    assert.match(page.url(), /mode=vector/);
    assert.equal(await page.locator(".explanation table").count(), 0);
    await visit("?q=rolling+back+releases&mode=keyword");
    assert.equal(await page.inputValue("#mode"), "keyword");
    assert.match(await status(), /^\d+ records? in/);
  });
});

describe("a page whose snapshot has another schema", () => {
  let handbookServer;

  before(async () => {
    handbookServer = server;
  });
  after(() => {
    server = handbookServer;
  });

  const notes = [
    { id: "one", text: "A rollback without tags, dates or a title" },
    { id: "two", text: "Another rollback", tags: "not a list", createdAt: "someday", language: "??" },
  ];
  const schemas = {
    "no attributes": { fields: { text: {} } },
    "some attributes": { fields: { text: {} }, attributes: { language: "keyword" }, vectors: { own: { embedder: "hash" } } },
  };
  for (const [name, schema] of Object.entries(schemas)) {
    it(`shows its records with ${name}, whatever the address says`, async () => {
      const engine = await build(notes, schema);
      server = await serve(engine.snapshot());
      engine.free();
      try {
        for (const search of ["?q=rollback", "?q=rollback&explain=&tags=x&topic=%00&language=!!&mode=vector", "?q=%F0&q=2&mode=&level"]) {
          await visit(search);
          assert.match(await page.locator("#about").textContent(), /2 records/);
        }
        await visit("?q=rollback");
        assert.deepEqual((await texts("h2")).sort(), notes.map(({ text }) => text));
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        assert.match((await texts(".snippet")).join(), /rollback/);
      } finally {
        await server.stop();
      }
    });
  }

  it("shows the handbook with values in the address that no note has", async () => {
    server = handbookServer;
    await visit("?q=backup&language=!!&language=zz-invalid-language&tags=%F0%9F&topic=&level=constructor&mode=__proto__");
    assert.match(await status(), /^0 records/);
    await page.getByRole("button", { name: "Remove all filters" }).click();
    assert.ok((await texts("h2")).length > 0);
  });
});

describe("the page in the command line", () => {
  it("is the page of www/; node js/page.mjs copies it", async () => {
    const www = new URL("../../www/", import.meta.url);
    const names = (await readdir(www, { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name);
    for (const name of names) {
      const copy = new URL(`../../cli/page/${name}`, import.meta.url);
      assert.ok((await readFile(new URL(name, www))).equals(await readFile(copy)), name);
    }
  });
});

describe("a page whose snapshot is missing or damaged", () => {
  it("says what is wrong", async () => {
    await page.route("**/demo.snap", (route) => route.fulfill({ body: "<!doctype html><p>Not the handbook" }));
    await page.goto(server.address);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.textContent(), /cannot be opened: this is an HTML page, not a snapseek snapshot/);
  });
});
