// Tests the packed package in every place. Prints one line per place, `ok` or `FAILED`, and the totals.
//
//   run.mjs [word …]    tests the places whose names contain one of the words; all by default

import { install } from "./project.mjs";

const LIMIT = 120_000;
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const isWanted = (name) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word));

const groups = ["tarball", "npx", "typescript", "runtimes", "chromium", "bundlers", "firefox", "webkit", "examples", "code-server"];
const context = await install();
let passed = 0;
let failed = 0;
let absent = 0;

async function attempt(name, place) {
  const started = performance.now();
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`no answer in ${LIMIT / 1000} s`)), LIMIT)));
  const outcome = await Promise.race([place(context), late]).catch((error) => ({ passed: 0, failed: [error.stack ?? String(error)] }));
  clearTimeout(timer);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (outcome.absent) {
    absent += 1;
    console.log(`ABSENT ${name}: ${outcome.absent}`);
  } else if (outcome.failed.length > 0 || outcome.passed === 0) {
    failed += 1;
    console.log(`FAILED ${name} (${outcome.passed} of ${outcome.passed + outcome.failed.length} claims, ${seconds} s)`);
    for (const fault of outcome.failed) console.log(`       ${fault.split("\n").slice(0, 12).join("\n       ")}`);
  } else {
    passed += 1;
    console.log(`ok ${name} (${outcome.passed} claims, ${seconds} s)${outcome.note ? `: ${outcome.note}` : ""}`);
  }
}

for (const group of groups) {
  const { places, filed = {}, close } = await import(`./places/${group}.mjs`);
  for (const [name, place] of Object.entries(places)) if (isWanted(name)) await attempt(name, place);
  // In these places the module must come as a file, because the inline script throws.
  const inFiled = { ...context, project: context.filed };
  for (const [name, place] of Object.entries(filed)) if (isWanted(name)) await attempt(name, () => place(inFiled));
  await close?.();
}
if (absent > 0) console.log(`${absent} are not available on this machine and not counted`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
