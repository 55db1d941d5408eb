// Checks the content of the tarball, also with the linters for packages.

import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isOver, sizes, TARBALL_BUDGET, tableLines } from "../../sizes.mjs";
import { PACKAGE, TOOLS } from "../project.mjs";

const exec = promisify(execFile);
const outcome = (failed, note) => ({ passed: failed.length > 0 ? 0 : 1, failed, note });

/** Runs a linter. A failing linter prints its reasons. */
const linter =
  (name, ...args) =>
  async ({ tarball }) => {
    const linted = exec(process.execPath, [join(TOOLS, name), ...args, tarball], { env: { ...process.env, NO_COLOR: "1" } });
    return linted.then(
      () => outcome([]),
      ({ stdout, stderr }) => outcome([stdout + stderr]),
    );
  };

// `.wasm` entries are not JavaScript, so `require` does not apply to them.
const WASM = ["snapseek.wasm", "snapseek.plain.wasm", "snapseek-search.wasm"];

const leaves = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(leaves));

/** Checks that the manifest, or a file reachable from it, names every file in the tarball. */
async function everyFileIsLoaded({ project, files }) {
  const folder = join(project, "node_modules/snapseek");
  const { exports, bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const reached = new Set(["package.json"]);
  const waiting = leaves([exports, bin]).map((path) => path.slice(2));
  const missing = [];
  for (const name of waiting) {
    if (reached.has(name)) continue;
    reached.add(name);
    const text = await readFile(join(folder, name), "utf8").catch(() => missing.push(`${name} is not there`) && "");
    if (!/\.[cm]?[jt]s$/.test(name)) continue;
    for (const [, found] of text.matchAll(/(?:from|import|import\(|require\(|new URL\()\s*["']\.\/([\w.-]+)["']/g)) {
      const isType = name.endsWith(".d.ts") || name.endsWith(".d.cts");
      waiting.push(isType ? found.replace(/\.(c?)js$/, ".d.$1ts") : found);
    }
  }
  const idle = files.map(({ path }) => path).filter((path) => !reached.has(path) && !/^(LICENSE|README)/.test(path));
  return outcome([...missing, ...idle.map((path) => `nobody loads ${path}`)], `${files.length} files`);
}

/** Checks the number of scripts per entry: each costs Node almost 1 ms, and a page without a bundler one request. */
const MOST_SCRIPTS = 10;

async function fewScripts({ project }) {
  const folder = join(project, "node_modules/snapseek");
  const { exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const counts = new Map();
  for (const entry of new Set(leaves(exports).filter((path) => /^\.\/[\w-]+\.c?js$/.test(path)))) {
    const loaded = new Set([entry.slice(2)]);
    for (const name of loaded) {
      const text = await readFile(join(folder, name), "utf8");
      // `=>require(` loads a script later, as `import(` does in an ES module.
      for (const [, found] of text.matchAll(/(?:\bfrom|\bimport|(?<!=>)\brequire\()\s*"\.\/([\w.-]+\.c?js)"/g)) loaded.add(found);
    }
    counts.set(entry, loaded.size);
  }
  const failed = [...counts].filter(([, count]) => count > MOST_SCRIPTS).map(([entry, count]) => `${entry} loads ${count} scripts`);
  return outcome(failed, `at most ${Math.max(...counts.values())} an entry`);
}

async function noPathsOfThisMachine({ project }) {
  const folder = join(project, "node_modules/snapseek");
  const traces = [join(PACKAGE, ".."), homedir() === "/" ? "/home/" : homedir(), "/.cargo/", "sourceMappingURL"];
  const found = [];
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    for (const trace of traces) if (bytes.includes(trace)) found.push(`${name} has ${trace}`);
  }
  return outcome(found);
}

async function noEval({ project }) {
  const folder = join(project, "node_modules/snapseek");
  const found = [];
  for (const name of (await readdir(folder)).filter((name) => /\.c?js$/.test(name))) {
    const [code] = /\beval\s*\(|\bnew Function\b|(?<!`)\bFunction\(/.exec(await readFile(join(folder, name), "utf8")) ?? [];
    if (code) found.push(`${name} has ${code}`);
  }
  return outcome(found);
}

async function budgets({ project, size }) {
  const table = await sizes(join(project, "node_modules/snapseek"));
  const failed = table.filter(isOver).map(({ what, sent, ceiling }) => `${what}: ${sent} bytes of ${ceiling} kB`);
  if (size > TARBALL_BUDGET * 1000) failed.push(`the tarball: ${size} bytes of ${TARBALL_BUDGET} kB`);
  const lines = [...tableLines(table), `tarball: ${Math.round(size / 1000)} kB of ${TARBALL_BUDGET} kB`];
  return outcome(failed, `\n       ${lines.join("\n       ")}`);
}

export const places = {
  publint: linter("publint/src/cli.js", "--strict"),
  "are the types wrong": linter("@arethetypeswrong/cli/dist/index.js", "--profile", "node16", "--exclude-entrypoints", ...WASM, "--"),
  "tarball: every file is used": everyFileIsLoaded,
  "tarball: an entry is few scripts": fewScripts,
  "tarball: no paths of this machine": noPathsOfThisMachine,
  "tarball: no eval": noEval,
  "tarball: sizes": budgets,
};
