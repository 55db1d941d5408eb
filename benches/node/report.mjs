// Prints a results file as a Markdown table, and then the target figures.
//
//   node report.mjs RESULTS.json

import { readFileSync } from "node:fs";
import { figures } from "./figures.mjs";

const results = JSON.parse(readFileSync(process.argv[2], "utf8"));

const significant = (number) => Number(number.toPrecision(3)).toString();
const milliseconds = (seconds) => significant(seconds * 1e3);
const megabytes = (bytes) => significant(bytes / 1e6);
const ms = (nanoseconds) => significant(nanoseconds / 1e6);

/** A line of the table: its title, and a function that formats the value of one engine (undefined shows as "–"). */
const lines = [
  ["build, s", (engine) => significant(engine.build[1].buildSeconds)],
  ["build with two threads, s", (engine) => engine.build[2] && significant(engine.build[2].buildSeconds)],
  ["compact after that, s", (engine) => significant(engine.build[1].compactSeconds)],
  ["records per second", (engine) => Math.round(results.records / engine.build[1].buildSeconds).toString()],
  ["index, MB", (engine) => megabytes(engine.build[1].indexBytes)],
  ["start module, ms", (engine) => milliseconds(engine.open.startSeconds)],
  ["open, ms", (engine) => milliseconds(engine.open.openSeconds)],
  ["first answer, ms", (engine) => milliseconds(engine.open.firstSeconds)],
  ["one copy of the index, ms", (engine) => engine.open.copySeconds && milliseconds(engine.open.copySeconds)],
  ["memory after open, MB", (engine) => engine.open.residentBytes && megabytes(engine.open.residentBytes)],
  ["by its own account, MB", (engine) => engine.open.ownBytes && megabytes(engine.open.ownBytes)],
  ...results.classes.map((name) => [
    `${name}: p50 / p95 / p99, ms`,
    (engine) => {
      const times = engine.nanoseconds[name];
      return times && [times.p50, times.p95, times.p99].map(ms).join(" / ");
    },
  ]),
  ["same top 10 as FTS5 (or-2-5), %", (engine) => significant(engine.overlap["or-2-5"] * 100)],
];

const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
console.log(
  `${results.records} records (${megabytes(results.recordBytes)} MB), ${results.queriesPerClass} queries a class, ` +
    `top 10; ${results.machine.cores} × ${results.machine.processor}, Node ${results.machine.node}\n`,
);
row(["", ...results.engines.map((engine) => engine.title)]);
row(["---", ...results.engines.map(() => "---:")]);
for (const [title, show] of lines) {
  row([title, ...results.engines.map((engine) => (engine.absent ? undefined : show(engine)) ?? "–")]);
}
for (const { title, absent } of results.engines) if (absent) console.log(`\n${title}: ${absent}.`);

console.log("\nFigures to reach:\n");
if (results.quick) console.log("(They are set for 60,000 records; a quick run shows only that they are computed.)\n");
for (const { text, bound, ratio, reached } of figures(results)) {
  const verdict = reached === undefined ? "not measured" : reached ? "reached" : "NOT reached";
  const measured = ratio === undefined ? "–" : Number(ratio.toPrecision(3));
  console.log(`- ${text}: ${measured} (${bound}): ${verdict}`);
}
