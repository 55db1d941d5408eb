// Writes the npm packages beside `snapseek` itself into target/npm/: one per platform, with its binary, and one with the
// English model. Their version is that of pkg.json.
//
//   node js/npm-packages.mjs SNAPSEEK PLATFORM=BINARY…
//
// SNAPSEEK is a binary that runs on this machine: it writes the model into one file. Prints the folder of each package.

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { thirdParty } from "./third-party.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const OUT = join(ROOT, "target/npm");
const LICENSES = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"];
const NOTICES = "THIRD-PARTY-LICENSES.txt";
const MODEL = "snapseek-static-en-v2";

const { version, license, engines } = JSON.parse(readFileSync(join(ROOT, "pkg.json"), "utf8"));
const platforms = JSON.parse(readFileSync(join(ROOT, "js/platforms.json"), "utf8"));

/** Starts a package, and returns its folder. */
function begin(name, manifest, readme, licenses) {
  const folder = join(OUT, name.replace("@snapseek/", ""));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version, ...manifest }, undefined, 2)}\n`);
  writeFileSync(join(folder, "README.md"), readme);
  for (const file of licenses) copyFileSync(join(ROOT, file), join(folder, file));
  return folder;
}

function platformPackage({ name, os, cpu, target, binary }, built) {
  const description = `The snapseek command line for ${os} ${cpu}`;
  const keywords = ["snapseek", "search", "cli"];
  // A zip archive of Yarn's cannot run a binary.
  const manifest = { description, license, keywords, os: [os], cpu: [cpu], preferUnplugged: true };
  const readme = `# @snapseek/cli-${name}

${description} (\`${target}\`). The package \`snapseek\` installs it by itself: run \`npx snapseek\`.
`;
  const folder = begin(`@snapseek/cli-${name}`, manifest, readme, LICENSES);
  copyFileSync(built, join(folder, binary));
  chmodSync(join(folder, binary), 0o755);
  writeFileSync(join(folder, NOTICES), thirdParty(ROOT, target));
  return folder;
}

function modelPackage(snapseek) {
  const file = `${MODEL}.model`;
  const manifest = {
    description: "Static English embeddings for snapseek: 25,000 tokens, 256 dimensions, 2 bits per number",
    // The weights are derived from a model under this licence.
    license: "Apache-2.0",
    keywords: ["snapseek", "search", "embeddings", "static-embeddings", "semantic-search"],
    type: "module",
    sideEffects: false,
    engines,
    exports: { ".": { types: "./index.d.ts", default: "./index.js" }, [`./${file}`]: `./${file}`, "./package.json": "./package.json" },
  };
  const folder = begin("@snapseek/model-static-en", manifest, modelReadme(file), ["LICENSE-APACHE"]);
  // Bundlers recognise exactly this form of expression, and copy the file.
  writeFileSync(join(folder, "index.js"), `export default new URL("./${file}", import.meta.url);\n`);
  writeFileSync(join(folder, "index.d.ts"), "/** The address of the model's file. */\ndeclare const model: URL;\nexport default model;\n");
  execFileSync(snapseek, ["model", join(ROOT, "models", MODEL), "-o", join(folder, file)], { stdio: ["ignore", "ignore", "inherit"] });
  return folder;
}

/** Returns the README of the model, after how to use the package. */
function modelReadme(file) {
  const [, ...about] = readFileSync(join(ROOT, "models", MODEL, "README.md"), "utf8").split(/^(?=## )/m);
  const told = about.filter((part) => !part.startsWith("## Files")).join("");
  return `# @snapseek/model-static-en

English embeddings without a model server: \`${file}\`, which snapseek stores in a snapshot. \`npm install snapseek\` brings it
as an optional dependency, and \`--embed static\` finds it:

\`\`\`sh
npx snapseek build site/ -o search.snap --embed static
\`\`\`

In JavaScript, the default export is the address of the file:

\`\`\`js
import { build } from "snapseek";
import model from "@snapseek/model-static-en";

const engine = await build(records, { fields: { title: {} }, vectors: { en: { embedder: "static", model } } });
\`\`\`

${told}`;
}

const [snapseek, ...binaries] = process.argv.slice(2);
for (const [name, built] of binaries.map((binary) => binary.split("="))) {
  const platform = platforms.find((other) => other.name === name);
  if (!platform) throw new Error(`there is no platform ${name}`);
  console.log(platformPackage(platform, built));
}
console.log(modelPackage(snapseek));
