// Chromium: a page under a strict Content-Security-Policy, and pages without a server.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { STRICT, serve } from "../server.mjs";
import { CHROMIUM } from "../../test/browser.mjs";

const browsers = new Map();

/** A browser with further flags; one for every set of them. */
export async function browserWith(...flags) {
  const key = flags.join(" ");
  if (!browsers.has(key)) browsers.set(key, chromium.launch({ ...CHROMIUM, args: [...CHROMIUM.args, ...flags] }));
  return browsers.get(key);
}

/** What a page sets as its outcome. */
async function outcomeOf(page) {
  const outcome = await page.waitForFunction(() => globalThis.outcome, undefined, { timeout: 60_000 });
  return outcome.jsonValue();
}

/** Opens a page and gives the outcome of using it; what the browser complains of counts, unless it is allowed. */
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

/** A page of the suite without a bundler: a browser knows paths, not packages. */
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
// A page on file:// has an origin of its own, which nothing can be kept for, and files are not given in parts.
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

/** How long it takes from the module's bytes to an engine, in pages of their own. It is told, and fails nothing. */
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
      note: `${times[0].toFixed(1)} ms at best, ${times[4].toFixed(1)} ms in the middle; 30 ms are wanted`,
    };
  } finally {
    await server.stop();
  }
}

/** Without 'wasm-unsafe-eval' nothing can work; the error has to say so. */
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

/** As Electron's renderer: modules and files may be read on file://. */
async function onFilesAsElectron({ project }) {
  const folder = await unbundled(project);
  return visit(pathToFileURL(join(folder, "index.html")).href, { flags: ["--allow-file-access-from-files"] });
}

/** As a page that someone opens from a folder: one script, and nothing can be fetched. */
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
  "Chromium, a CSP that forbids WebAssembly: says so": withoutPermission,
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
