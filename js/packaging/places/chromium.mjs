// Chromium: a page under a strict Content-Security-Policy, and pages without a server.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { STRICT, serve } from "../server.mjs";
import { CHROMIUM } from "../../test/browser.mjs";

const browsers = new Map();

/** Starts a browser with additional flags, or returns the running one with the same flags. */
export async function browserWith(...flags) {
  const key = flags.join(" ");
  if (!browsers.has(key)) browsers.set(key, chromium.launch({ ...CHROMIUM, args: [...CHROMIUM.args, ...flags] }));
  return browsers.get(key);
}

/** Waits for the outcome that a page sets. */
async function outcomeOf(page) {
  const outcome = await page.waitForFunction(() => globalThis.outcome, undefined, { timeout: 60_000 });
  return outcome.jsonValue();
}

/** Opens a page and returns the outcome of using it. Messages of the browser count as failures, unless they are allowed. */
export async function visit(url, { flags = [], allowed = /^$/, use = outcomeOf } = {}) {
  const browser = await browserWith(...flags);
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  try {
    await page.goto(url);
    const { passed, failed, note } = await use(page);
    return { passed, failed: [...failed, ...complaints.filter((complaint) => !allowed.test(complaint))], note };
  } catch (error) {
    return { passed: 0, failed: [error.message, ...complaints] };
  } finally {
    await page.close();
  }
}

/** Makes a page that runs the suite without a bundler, so it imports paths and not package names. */
export async function unbundled(project) {
  const folder = join(project, "unbundled");
  await mkdir(folder, { recursive: true });
  const imports = `import * as snapseek from "../node_modules/snapseek/web.js";
import { persist } from "../node_modules/snapseek/persist.js";
import * as slim from "../node_modules/snapseek/search-web.js";
import * as remote from "../node_modules/snapseek/worker.js";
import * as fixture from "../fixture.mjs";
import { run, suite, workerSuite } from "../suite.mjs";
`;
  await writeFile(
    join(folder, "app.js"),
    `${imports}
const [url, split] = ["../golden.snap", "../split.snap"].map((path) => new URL(path, import.meta.url).href);
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const places = [...("storage" in navigator && navigator.storage.getDirectory ? [{ in: "opfs" }] : []), { in: "indexeddb" }];
// A page on file:// has an opaque origin without storage, and file:// has no range requests.
const served = location.protocol === "file:" ? {} : { split, persist: { persist, places } };
const claims = { ...suite(snapseek, fixture, { url, slim, ...served }), ...workerSuite(remote, worker, fixture) };
globalThis.outcome = await run(claims);
`,
  );
  await writeFile(join(folder, "worker.js"), 'import { expose } from "../node_modules/snapseek/worker.js";\nexpose(self);\n');
  const html = '<!doctype html>\n<meta charset="utf-8">\n<link rel="icon" href="data:,">\n<script type="module" src="./app.js"></script>\n';
  await writeFile(join(folder, "index.html"), html);
  return folder;
}

async function underStrictPolicy({ project }) {
  await unbundled(project);
  const server = await serve([project], { csp: STRICT });
  try {
    return await visit(`${server.address}unbundled/`);
  } finally {
    await server.stop();
  }
}

/** Measures the time from the module's bytes to an engine, each in a new page. It reports the time and never fails. */
async function readiness({ project }) {
  const folder = join(project, "ready");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html>\n<link rel="icon" href="data:,">\n<script type="module" src="./app.js"></script>\n',
  );
  await writeFile(
    join(folder, "app.js"),
    `import { build } from "../node_modules/snapseek/web.js";
const wasm = await (await fetch("../node_modules/snapseek/snapseek.wasm")).arrayBuffer();
const arrived = performance.now();
const engine = await build([], { fields: { a: {} } }, { wasm });
globalThis.outcome = { passed: Number(engine.length === 0), failed: [], note: performance.now() - arrived };
`,
  );
  const server = await serve([project], { csp: STRICT });
  try {
    const visits = [];
    for (let i = 0; i < 9; i++) visits.push(await visit(`${server.address}ready/`));
    const times = visits.map(({ note }) => note).sort((a, b) => a - b);
    const failed = visits.flatMap((outcome) => outcome.failed);
    return {
      passed: visits.filter(({ passed }) => passed).length,
      failed,
      note: `${times[0].toFixed(1)} ms at best, ${times[4].toFixed(1)} ms in the middle; the aim is 30 ms`,
    };
  } finally {
    await server.stop();
  }
}

/** Without 'wasm-unsafe-eval' no module compiles; the error must say so. */
async function withoutPermission({ project }) {
  const folder = join(project, "refused");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html>\n<link rel="icon" href="data:,">\n<script type="module" src="./app.js"></script>\n',
  );
  await writeFile(
    join(folder, "app.js"),
    `import { build } from "../node_modules/snapseek/web.js";
build([{ id: 1, title: "fox" }]).then(
  () => (globalThis.outcome = { passed: 0, failed: ["it ran"] }),
  ({ code, message }) => {
    const isClear = code === "wasm/failed" && /wasm-unsafe-eval|Content Security Policy/.test(message);
    globalThis.outcome = { passed: Number(isClear), failed: isClear ? [] : [code + " " + message] };
  },
);
`,
  );
  const server = await serve([project], { csp: STRICT.replace(" 'wasm-unsafe-eval'", "") });
  try {
    return await visit(`${server.address}refused/`, { allowed: /wasm-unsafe-eval/ });
  } finally {
    await server.stop();
  }
}

/** Runs as in Electron's renderer, where file:// pages may read modules and files. */
async function onFilesAsElectron({ project }) {
  const folder = await unbundled(project);
  return visit(pathToFileURL(join(folder, "index.html")).href, { flags: ["--allow-file-access-from-files"] });
}

/** Runs as a page opened from a folder: one script, and `fetch` does not work. */
async function onFilesAsScript({ project }) {
  const folder = join(project, "script");
  await build({
    absWorkingDir: project,
    entryPoints: ["inline.js"],
    bundle: true,
    format: "iife",
    outfile: join(folder, "script.js"),
    conditions: ["browser"],
    logOverride: { "empty-import-meta": "silent" },
  });
  await writeFile(join(folder, "index.html"), '<!doctype html>\n<meta charset="utf-8">\n<script src="script.js"></script>\n');
  return visit(pathToFileURL(join(folder, "index.html")).href);
}

export const places = {
  "Chromium, from bytes to a ready engine": readiness,
  "Chromium, a CSP that forbids WebAssembly: a clear error": withoutPermission,
  "Chromium, file:// as one script": onFilesAsScript,
};

export const filed = {
  "Chromium, strict CSP": underStrictPolicy,
  "Chromium, file:// as in Electron's renderer": onFilesAsElectron,
};

export async function close() {
  for (const browser of browsers.values()) await (await browser).close();
  browsers.clear();
}
