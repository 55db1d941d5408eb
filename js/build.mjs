// Writes pkg/ from the folder target/js, where tsc and scripts/build-pkg left their output: a script for each entry of the
// manifest and for the code that several entries share, as ES modules and, where an entry asks for it, as CommonJS; the
// types of every entry; and the WebAssembly modules, as files and, for hosts without files, inside a script. cli.mjs, which
// runs the binary of the platform, the README and the licences come along as they are.
//
//   node js/build.mjs MODULE…    the modules to put into the package; the first is the full one
//
// One script per source file would be simpler, but Node takes 25 ms to import 33 files, and 10 ms for eight.

import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { inlineScript } from "./inline-script.mjs";

const FROM = new URL("../target/js/", import.meta.url);
const TO = new URL("../pkg/", import.meta.url);
const MANIFEST = new URL("../pkg.json", import.meta.url);

const INLINED = "snapseek-inline.js";
/** The scripts that some calls load when they need them. */
const ON_DEMAND = ["on-demand", "pieces"];
const MODULES = process.argv.slice(2);
const RELATIVE = /(\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)"\.\/([\w.-]+)"/g;

const sourceOf = (name) => readFile(new URL(name, FROM), "utf8");

await mkdir(TO, { recursive: true });
const glue = await sourceOf("glue.js");
await checkGlue(glue, await sourceOf("glue-search.js"));
for (const name of MODULES) await copyFile(new URL(name, FROM), new URL(name, TO));
// The same code twice: each copy keeps the module instance that it was given, and an application may use both entries.
const glues = new Map([
  ["glue.js", glue],
  ["glue-search.js", glue],
]);

/**
 * Checks that the glue of the full module can run every module. The search entry needs that: it loads the full module
 * where the search-only one does not run. A module's import has to be there, and to be the same function.
 */
async function checkGlue(full, search) {
  const functions = importedFunctions(full);
  const searchFunctions = importedFunctions(search);
  for (const name of MODULES) {
    const module = new WebAssembly.Module(await readFile(new URL(name, FROM)));
    const own = name.includes("search") ? searchFunctions : functions;
    for (const { name: needed } of WebAssembly.Module.imports(module)) {
      if (!functions.has(needed)) throw new Error(`the glue of ${MODULES[0]} has no ${needed}, which ${name} imports`);
      if (functions.get(needed) !== own.get(needed)) throw new Error(`${needed} is another function in the glue of ${name}`);
    }
  }
}

/** The functions that a glue gives its module, by name. */
function importedFunctions(source) {
  return new Map([...source.matchAll(/^ {8}(\w+): (function[\s\S]*?\}),$/gm)].map(([, name, work]) => [name, work]));
}

const leaves = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(leaves));

/** @type {import("esbuild").CommonOptions} */
const minified = { minifyWhitespace: true, minifySyntax: true, target: "es2022", legalComments: "none" };

/** Keeps these in files of their own: the modules, the glue, which holds a module instance, and the inlined module. */
const ofItsOwn = {
  name: "of its own",
  setup({ onResolve }) {
    const files = [...glues.keys(), INLINED];
    const isOne = (path) => /\.wasm(\?module)?$/.test(path) || files.some((file) => path === `./${file}`);
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
  for (const [name, code] of glues) all.set(name, (await transform(code, minified)).code);
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
      // The module as a script stays an ES module: twice it would be a third of the package. The scripts that are loaded
      // on demand share classes with this one, so they become CommonJS too.
      supported: { "dynamic-import": true },
    });
    const url = source.includes("import.meta.url") ? 'const __url=require("node:url").pathToFileURL(__filename).href;' : "";
    return `"use strict";${url}${code.replace('"use strict";', "")}`
      .replace(/require\("(\.\/[\w.-]+)\.js"\)/g, 'require("$1.cjs")')
      .replace(new RegExp(`import\\("\\./(${ON_DEMAND.join("|")})\\.js"\\)`, "g"), 'Promise.resolve().then(()=>require("./$1.cjs"))');
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
const made = await scripts([...entries.filter((name) => /^[\w-]+\.js$/.test(name)), ...ON_DEMAND.map((name) => `${name}.js`)]);
const files = new Map([["package.json", manifest]]);
for (const name of ["README.md", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE"]) {
  files.set(name, await readFile(new URL(`../${name}`, import.meta.url), "utf8"));
}
files.set("cli.js", await readFile(new URL("cli.mjs", import.meta.url), "utf8"));
const waiting = entries.filter((name) => name !== "package.json");
for (const file of waiting) {
  if (files.has(file) || file.endsWith(".wasm")) continue;
  const [, name, kind] = /^(.+?)(\.d\.c?ts|\.c?js)$/.exec(file);
  const text = await kinds[kind](name);
  files.set(file, text);
  waiting.push(...imported(file, text));
}

for (const name of await readdir(TO)) {
  if (!MODULES.includes(name) && !files.has(name)) await rm(new URL(name, TO), { recursive: true });
}
for (const [name, text] of files) await writeFile(new URL(name, TO), text);
