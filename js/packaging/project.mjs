// Installs the packed package into a new project, as a user would. The tools are in node_modules of the folder above.

import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const exec = promisify(execFile);
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

export const TOOLS = path("node_modules");
export const PACKAGE = path("../../pkg");
const EXAMPLES = path("../../examples/js");
const GOLDEN = path("../../tests/golden");

/** Replaces the inline scripts of the module, so that only the .wasm files work. */
const REFUSAL = 'export const bytes = () => { throw new Error("refused: the module was to come as a file"); };\n';
const SCRIPTS = ["snapseek-inline.js"];

/**
 * Packs the package and installs it; returns the folder of the project and the tarball. In a second project, `filed`, the
 * inline scripts of the module throw, so everything that works there has loaded the .wasm files.
 */
export async function install() {
  const work = path(".work");
  const project = join(work, "project");
  await rm(work, { recursive: true, force: true });
  await mkdir(project, { recursive: true });
  const { stdout } = await exec("npm", ["pack", "--json", "--pack-destination", work], { cwd: PACKAGE });
  const packed = JSON.parse(stdout);
  const [{ filename, files, size }] = Array.isArray(packed) ? packed : Object.values(packed);
  const tarball = join(work, filename);
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
  await exec("npm", ["install", "--no-audit", "--no-fund", "--offline", "--ignore-scripts", tarball], { cwd: project });

  await cp(EXAMPLES, join(project, "examples"), { recursive: true });
  await cp(path("app"), project, { recursive: true });
  await copyFile(path("suite.mjs"), join(project, "suite.mjs"));
  const read = (name) => readFile(join(GOLDEN, name));
  const [records, schema, snapshot] = await Promise.all(["records.jsonl", "schema.json", "v2.snap"].map(read));
  await writeFile(join(project, "golden.snap"), snapshot);
  await writeFile(
    join(project, "fixture.mjs"),
    `export const records = ${JSON.stringify(String(records))};
export const schema = ${String(schema)};
export const snapshot = Uint8Array.from(atob("${snapshot.toString("base64")}"), (character) => character.charCodeAt(0));
`,
  );
  const { build } = await import(pathToFileURL(join(project, "node_modules/snapseek/node.js")).href);
  const engine = await build(String(records), JSON.parse(String(schema)));
  const split = engine.splitSnapshot();
  engine.free();
  await writeFile(join(project, "split.snap"), split.snapshot);
  await writeFile(join(project, "split.snap.docs"), split.docs[0]);

  const filed = join(work, "filed");
  await cp(project, filed, { recursive: true });
  for (const name of SCRIPTS) await writeFile(join(filed, "node_modules/snapseek", name), REFUSAL);
  return { work, project, filed, tarball, files, size };
}
