// The sizes of the package, and the budget of each. Users wait for these bytes. A size that is over its budget has a ceiling
// above it, which the tests of the package hold: it may shrink and take the ceiling along, but never grow.
//
//   node js/sizes.mjs    prints the table for pkg/ and exits with 1 where a size is over its ceiling

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const PACKAGE = fileURLToPath(new URL("../pkg/", import.meta.url));

/** The budgets in kB, which are 1000 bytes: the compressed tarball, and for the others their size as brotli sends them. */
export const TARBALL_BUDGET = 1500;
const MODULE_BUDGETS = {
  "snapseek.wasm": 255,
  "snapseek.plain.wasm": 255,
  "snapseek-search.wasm": 155,
};
const SCRIPT_BUDGET = 10;

/** In kB, for sizes that are over their budget today. Lower them whenever a size shrinks; delete them at the budget. */
const CEILINGS = {
  "snapseek.wasm": 308,
  "snapseek.plain.wasm": 309,
  "snapseek-search.wasm": 171,
  "JavaScript: worker": 10.2,
};

/** What an application may import. The size is that of the script that its page loads at once, as a bundler makes it. */
const IMPORTS = {
  "open and build": 'export { SnapseekError, build, open } from "./web.js"',
  "open to search": 'export { SnapseekError, open } from "./search-web.js"',
  "page's side of a worker": 'export { SnapseekError, openInWorker } from "./web.js"',
  worker: 'export { expose } from "./worker.js"',
  persist: 'export { persist } from "./persist.js"',
};
/**
 * Scripts that come later, if at all: the one for calls that few applications make, the reader of snapshots in pieces, which
 * arrives while the module does, and the module where its file is missing.
 */
const ON_DEMAND = ["./on-demand.js", "./pieces.js", "./snapseek-inline.js"];

/**
 * A line of the table.
 *
 * @typedef {object} Size
 * @property {string} what
 * @property {number} bytes As they are in the package; for scripts, minified.
 * @property {number} sent As brotli compresses them.
 * @property {number} budget For `sent`, in kB.
 * @property {number} ceiling The most that the tests allow for `sent`, in kB: the budget, or more where it is not yet kept.
 */

/** The sizes of the package in a folder. @returns {Promise<Size[]>} */
export async function sizes(folder = PACKAGE) {
  const table = [];
  for (const [what, budget] of Object.entries(MODULE_BUDGETS)) {
    table.push(size(what, await readFile(join(folder, what)), budget));
  }
  for (const [what, contents] of Object.entries(IMPORTS)) {
    table.push(size(`JavaScript: ${what}`, await loadedAtOnce(contents, folder), SCRIPT_BUDGET));
  }
  return table;
}

/** The script that a page loads at once for these imports. */
async function loadedAtOnce(contents, folder) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    logLevel: "error",
    external: ON_DEMAND,
  });
  return outputFiles[0].contents;
}

/** @returns {Size} */
function size(what, bytes, budget) {
  return { what, bytes: bytes.length, sent: brotliCompressSync(bytes).length, budget, ceiling: CEILINGS[what] ?? budget };
}

/** Whether a size has grown above its ceiling. */
export const isOver = ({ sent, ceiling }) => sent > ceiling * 1000;

const kilobytes = (bytes) => (bytes / 1000).toFixed(1);

/** The lines of the table as text. @param {Size[]} table */
export function tableLines(table) {
  const line = (what, bytes, sent, budget, note = "") =>
    `${what.padEnd(36)}${bytes.padStart(10)}${sent.padStart(10)}${budget.padStart(10)}${note}`;
  const rows = table.map((row) => {
    const { what, bytes, sent, budget, ceiling } = row;
    const note = isOver(row) ? "  ABOVE ITS CEILING" : sent > budget * 1000 ? `  over budget; ceiling ${ceiling}` : "";
    return line(what, kilobytes(bytes), kilobytes(sent), String(budget), note);
  });
  return [line("kB", "size", "brotli", "budget"), ...rows];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const table = await sizes();
  console.log(tableLines(table).join("\n"));
  process.exitCode = table.some(isOver) ? 1 : 0;
}
