// Writes pkg/ from what tsc made in target/js: a script for each entry of the manifest and for what several of them share,
// as ES modules and, where an entry asks for it, as CommonJS; every entry's types; and the modules, as they are and as a
// script, for places without files.
//
// One script a source would be simpler, but Node takes 25 ms to import 33 files, and 10 for eight.

import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { smallGlue } from "./glue.mjs";
import { inlineScript } from "./inline-script.mjs";
import { renamed as withNames } from "./wasm-names.mjs";

const FROM = new URL("../target/js/", import.meta.url);
const TO = new URL("../pkg/", import.meta.url);
const MANIFEST = new URL("../pkg.json", import.meta.url);

const INLINED = "snapseek-inline.js";
const MODULES = ["snapseek.wasm", "snapseek.plain.wasm", "snapseek-search.wasm"];
const RELATIVE = /(\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)"\.\/([\w.-]+)"/g;

const { code: glue, names } = await smallGlue(await readFile(new URL("glue.js", FROM), "utf8"));
const known = new Set();
for (const name of MODULES) {
  const module = withNames(await readFile(new URL(name, FROM)), names);
  const wanted = WebAssembly.Module.imports(new WebAssembly.Module(module)).map((imported) => imported.name);
  if (known.size === 0) wanted.forEach((name) => known.add(name));
  const missing = wanted.filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`the glue of ${MODULES[0]} has no ${missing} for ${name}; one has to do for all`);
  await writeFile(new URL(name, TO), module);
}
// The same twice, since each keeps the module that it was given: an application may have both entries.
const small = new Map([["glue.js", glue], ["glue-search.js", glue]]);

const leaves = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(leaves));

const minified = { minifyWhitespace: true, minifySyntax: true, target: "es2022", legalComments: "none" };

/** What stays a file of its own: modules, what holds one, and the one that only places without files load. */
const ofItsOwn = {
  name: "of its own",
  setup({ onResolve }) {
    const files = [...small.keys(), INLINED, ...MODULES];
    const isOne = (path) => files.some((file) => path.replace("?module", "") === `./${file}`);
    onResolve({ filter: /^\.\// }, ({ path }) => (isOne(path) ? { path, external: true } : undefined));
  },
};

/** The scripts of these entries, by the names of files: one each, and what several of them share. */
async function scripts(entries) {
  const entryPoints = entries.map((entry) => fileURLToPath(new URL(entry, FROM)));
  const { outputFiles } = await build({
    ...minified,
    entryPoints,
    bundle: true,
    splitting: true,
    format: "esm",
    external: ["node:*"],
    plugins: [ofItsOwn],
    outdir: fileURLToPath(TO),
    chunkNames: "shared-[hash]",
    write: false,
  });
  const all = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  for (const [name, code] of small) all.set(name, (await transform(code, minified)).code);
  return all.set(INLINED, await inlineScript(await readFile(new URL(MODULES[0], TO)), minified));
}

const kinds = {
  ".d.ts": (name) => readFile(new URL(`${name}.d.ts`, FROM), "utf8"),
  // The names of its neighbours change with its own.
  ".d.cts": async (name) => renamed(await kinds[".d.ts"](name), ".cjs"),
  ".js": async (name) => made.get(`${name}.js`),
  ".cjs": async (name) => {
    const source = made.get(`${name}.js`);
    const { code } = await transform(source, {
      ...minified,
      format: "cjs",
      // Lets ES modules that import it see the names of what it exports.
      platform: "node",
      define: { "import.meta.url": "__url" },
      // The module as a script stays an ES module: twice it would be a third of the package.
      supported: { "dynamic-import": true },
    });
    const url = source.includes("import.meta.url") ? 'const __url=require("node:url").pathToFileURL(__filename).href;' : "";
    return `"use strict";${url}${code.replace('"use strict";', "")}`.replace(/require\("(\.\/[\w.-]+)\.js"\)/g, 'require("$1.cjs")');
  },
};

const renamed = (text, extension) => text.replace(RELATIVE, (whole) => whole.replace('.js"', `${extension}"`));

/** What a text imports from its neighbours, by the names of files. */
function imported(file, text) {
  const names = [...text.matchAll(RELATIVE)].map(([, , name]) => name);
  if (file.endsWith(".d.ts")) return names.map((name) => name.replace(/\.js$/, ".d.ts"));
  if (file.endsWith(".d.cts")) return names.map((name) => name.replace(/\.cjs$/, ".d.cts"));
  return names;
}

const manifest = await readFile(MANIFEST, "utf8");
const entries = [...new Set(leaves(JSON.parse(manifest).exports).map((path) => path.replace("./", "")))];
const made = await scripts(entries.filter((name) => /^[\w-]+\.js$/.test(name)));
const files = new Map([["package.json", manifest]]);
const waiting = entries.filter((name) => name !== "package.json");
for (const file of waiting) {
  if (files.has(file) || file.endsWith(".wasm")) continue;
  const [, name, kind] = /^(.+?)(\.d\.c?ts|\.c?js)$/.exec(file);
  const text = await kinds[kind](name);
  files.set(file, text);
  waiting.push(...imported(file, text));
}

await mkdir(TO, { recursive: true });
for (const name of await readdir(TO)) {
  if (!MODULES.includes(name) && !files.has(name)) await rm(new URL(name, TO), { recursive: true });
}
for (const [name, text] of files) await writeFile(new URL(name, TO), text);
