// The engines: how each builds its index, and how a page asks it. Each answers with the paths of pages, best first.

import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { serve } from "../../../js/packaging/server.mjs";
import { CHROMIUM } from "../../../js/test/browser.mjs";

const ROOT = new URL("../../../", import.meta.url);
const at = (path) => fileURLToPath(new URL(path, ROOT));
const { chromium } = createRequire(new URL("js/", ROOT))("playwright-core");

const MODEL = at("models/snapseek-static-en-v2");
/** As many pages as the judge looks at. */
const LIMIT = 10;

/** The size of all files in a folder. */
function bytesOf(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, entry) => sum + statSync(`${entry.parentPath}/${entry.name}`).size, 0);
}

/** The bytes of a response, as a server with gzip sends them. Indexes are compressed already, or hardly compressible. */
async function sentBytes(response) {
  const isCompressed = /\.(js|wasm)$/.test(new URL(response.url()).pathname);
  // The browser does not keep the bodies of large files.
  return isCompressed ? gzipSync(await response.body()).length : Number(await response.headerValue("content-length"));
}

/** Opens an index in a page of Chromium. `start` and `ask` run there: one loads the engine, the other returns addresses. */
async function openInBrowser(output, folders, start, ask) {
  const server = await serve([output, ...folders]);
  const browser = await chromium.launch(CHROMIUM);
  const page = await browser.newPage();
  const sent = [];
  // Any answer of the server gives the page an origin.
  await page.goto(server.address);
  page.on("response", (response) => sent.push(sentBytes(response)));
  await page.evaluate(start);
  return {
    bytes: bytesOf(output),
    loaded: async () => (await Promise.all(sent)).reduce((sum, bytes) => sum + bytes, 0),
    search: async (question) => (await page.evaluate(ask, { question, limit: LIMIT })).map(pathOf),
    close: async () => {
      await browser.close();
      await server.stop();
    },
  };
}

const openPagefind = (output) =>
  openInBrowser(
    output,
    [],
    async () => {
      globalThis.pagefind = await import(new URL("/pagefind.js", location.href).href);
      await globalThis.pagefind.init();
    },
    async ({ question, limit }) => {
      const { results } = await globalThis.pagefind.search(question);
      const found = await Promise.all(results.slice(0, limit).map((result) => result.data()));
      return found.map(({ url }) => url);
    },
  );

const openSnapseek = (output) =>
  openInBrowser(
    output,
    [at("pkg")],
    async () => {
      const { open } = await import(new URL("/search-web.js", location.href).href);
      globalThis.engine = await open("/search.snap");
    },
    async ({ question, limit }) => {
      const { hits } = await globalThis.engine.search(question, { limit, records: true });
      return hits.map(({ record }) => record.url);
    },
  );

/** The path of a page below the folder that was indexed, as the questions name it. */
function pathOf(url) {
  const path = decodeURIComponent(url.replace(/[?#].*$/, "").replace(/^\//, ""));
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

const pagefind = (...options) => ({
  build: ({ folder, output, content }) => [
    at("benches/sites/node_modules/.bin/pagefind"),
    ...["--site", folder, "--output-path", output],
    ...options.flatMap((option) => [option, content]),
  ],
  open: openPagefind,
});

const snapseek = (...options) => ({
  build: ({ snapseek, folder, output }) => [snapseek, "build", folder, "-o", `${output}/search.snap`, ...options],
  open: openSnapseek,
});

/** `needs` is the property of a site without which an engine is left out. */
export const ENGINES = [
  { name: "Pagefind", ...pagefind() },
  // The user has to know the selector; snapseek finds the text of a page by itself.
  { name: "Pagefind --root-selector", needs: "content", ...pagefind("--root-selector") },
  { name: "snapseek, words", ...snapseek() },
  { name: "snapseek, words and meaning", ...snapseek("--embed", `static:${MODEL}`) },
];
