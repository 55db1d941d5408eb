// Fills cli/page/, the folder whose files `snapseek serve` carries: www/, and the scripts and the module of pkg/ that the
// page loads, each also compressed. A file that has not changed is left alone, so that cargo need not compile again.
//
//   node js/page.mjs    after scripts/build-pkg, which runs it, or after a change in www/

import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const ROOT = new URL("../", import.meta.url);
const PAGE = new URL("cli/page/", ROOT);
const SCRIPT = /(?:\bfrom|\bimport)\s*\(?\s*"\.\/([\w.-]+\.js)"/g;
/** Only a browser that cannot load the module from its file needs this script. */
const UNUSED = new Set(["snapseek-inline.js"]);

const read = (path) => readFile(new URL(path, ROOT));

/** Returns the names of the scripts that a script of the package loads, and those that these load. */
async function scriptsOf(name, found = new Set()) {
  if (found.has(name) || UNUSED.has(name)) return found;
  found.add(name);
  const source = String(await read(`pkg/${name}`));
  for (const [, other] of source.matchAll(SCRIPT)) await scriptsOf(other, found);
  return found;
}

/** Compresses a file, unless that makes it longer. */
function packed(name, bytes) {
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const variants = [
    [`${name}.br`, brotliCompressSync(bytes, { params: size })],
    [`${name}.gz`, gzipSync(bytes, { level: 9 })],
  ];
  return variants.filter(([, shorter]) => shorter.length < bytes.length);
}

const own = (await readdir(new URL("www/", ROOT), { withFileTypes: true })).filter((entry) => entry.isFile());
const names = [...own.map(({ name }) => `www/${name}`), ...[...(await scriptsOf("web.js")), "snapseek.wasm"].map((name) => `pkg/${name}`)];
const files = new Map();
for (const name of names.filter((name) => !name.endsWith(".snap"))) {
  const bytes = await read(name);
  const place = name.replace(/^www\//, "");
  for (const [path, content] of [[place, bytes], ...packed(place, bytes)]) files.set(path, content);
}

const present = await readdir(PAGE, { recursive: true, withFileTypes: true });
for (const entry of present.filter((entry) => entry.isFile() && entry.name !== ".gitignore")) {
  const file = new URL(`file://${entry.parentPath}/${entry.name}`);
  if (!files.has(file.pathname.slice(PAGE.pathname.length))) await rm(file);
}
for (const [path, content] of files) {
  const file = new URL(path, PAGE);
  const before = await readFile(file).catch(() => undefined);
  if (before?.equals(content)) continue;
  await mkdir(dirname(file.pathname), { recursive: true });
  await writeFile(file, content);
}
