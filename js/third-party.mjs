// The licences of the crates that a binary links, for the packages of the platforms: their authors ask to be named with it.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const LICENSE_FILE = /^(licen[cs]e|copying|notice|unlicense|copyright)/i;

/** Returns the packages that the command line links for a Rust target, without our own. */
function linked(root, target) {
  const args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
  const { packages, resolve } = JSON.parse(String(execFileSync("cargo", args, { cwd: root, maxBuffer: 1 << 28 })));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const reached = new Set([packages.find(({ name }) => name === "snapseek-cli").id]);
  for (const id of reached) {
    for (const { pkg, dep_kinds } of nodes.get(id).deps) if (dep_kinds.some(({ kind }) => kind === null)) reached.add(pkg);
  }
  return packages.filter(({ id, source }) => source && reached.has(id));
}

/** Returns the texts of the licences in a package's folder. */
function textsOf({ manifest_path }) {
  const folder = dirname(manifest_path);
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name));
  return files.map(({ name }) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

/** Returns the list of crates with their licences, and each text once with the crates that it is from. */
export function thirdParty(root, target) {
  const crates = linked(root, target);
  const named = ({ name, version }) => `${name} ${version}`;
  const owners = new Map();
  for (const crate of crates) {
    for (const text of textsOf(crate)) owners.set(text, [...(owners.get(text) ?? []), named(crate)]);
  }
  const list = crates.map((crate) => `${named(crate)}: ${crate.license ?? "see below"}`);
  const texts = Array.from(owners, ([text, names]) => `${"=".repeat(80)}\n${names.join(", ")}\n\n${text}`);
  return `The binary contains the Rust standard library (MIT OR Apache-2.0) and these crates:\n\n${list.join("\n")}\n\n${texts.join("\n\n")}\n`;
}
