// Turns Debian package stanzas into JSON-lines records; `benches/prepare` calls it.
//
// A stanza holds only the first line of a description and the MD5 of the whole; Translation-en holds the whole. This script
// joins the two by that MD5.

import { createReadStream, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: "string", default: "60000" },
    sample: { type: "boolean", default: false },
  },
});
const [availableFile, translationsFile] = positionals;

/** Yields each stanza as a map from field name to value, with continuation lines. */
async function* stanzas(file) {
  let stanza = new Map();
  let field = "";
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line === "") {
      if (stanza.size > 0) yield stanza;
      stanza = new Map();
    } else if (line.startsWith(" ")) {
      stanza.set(field, `${stanza.get(field)}\n${line}`);
    } else {
      const colon = line.indexOf(":");
      field = line.slice(0, colon);
      stanza.set(field, line.slice(colon + 1).trim());
    }
  }
  if (stanza.size > 0) yield stanza;
}

/** Returns the text of a long description: joins paragraphs, empties ` .` lines, and keeps list items on separate lines. */
function longDescription(lines) {
  let text = "";
  let separator = "";
  for (const line of lines) {
    if (line === " .") {
      separator = "\n\n";
      continue;
    }
    const isVerbatim = line.startsWith("  ");
    if (isVerbatim && separator === " ") separator = "\n";
    text += (text === "" ? "" : separator) + line.trim();
    separator = isVerbatim ? "\n" : " ";
  }
  return text;
}

async function descriptionsByMd5(file) {
  const descriptions = new Map();
  for await (const stanza of stanzas(file)) {
    descriptions.set(stanza.get("Description-md5"), stanza.get("Description-en"));
  }
  return descriptions;
}

/** Returns every package once, sorted by name, in the version that is listed first. */
async function allRecords() {
  const descriptions = await descriptionsByMd5(translationsFile);
  const records = new Map();
  for await (const stanza of stanzas(availableFile)) {
    const id = stanza.get("Package");
    const description = descriptions.get(stanza.get("Description-md5")) ?? stanza.get("Description-en") ?? stanza.get("Description");
    if (records.has(id) || !description) continue;
    const [title, ...long] = description.split("\n");
    records.set(id, {
      id,
      title,
      description: longDescription(long),
      section: stanza.get("Section") ?? "unknown",
      priority: stanza.get("Priority") ?? "optional",
      installedSize: Number(stanza.get("Installed-Size") ?? 0),
    });
  }
  return [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Picks `count` of `records`, evenly spaced, so that the same lists always give the same choice. */
function evenly(records, count) {
  if (count >= records.length) return records;
  return Array.from({ length: count }, (_, i) => records[Math.floor((i * records.length) / count)]);
}

const count = options.sample ? 1400 : Number(options.records);
const out = options.sample ? "sample/packages.jsonl" : "data/packages.jsonl";
if (!Number.isInteger(count) || count < 1) {
  console.error(`prepare: --records ${options.records} is not a number of records`);
  process.exit(2);
}
const all = await allRecords();
if (all.length === 0) {
  console.error("prepare: apt-cache lists no packages; run benches/prepare on Debian or Ubuntu with a network");
  process.exit(1);
}
// The sample is part of the repository, so it skips the few very long descriptions to stay below 700 kB.
const chosen = evenly(options.sample ? all.filter((r) => r.description.length <= 900) : all, count);
writeFileSync(out, chosen.map((record) => `${JSON.stringify(record)}\n`).join(""));
console.error(`prepare: ${chosen.length} of ${all.length} packages in benches/${out}`);
