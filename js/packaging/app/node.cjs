// The suite in Node, as CommonJS.
const { Worker } = require("node:worker_threads");
const snapseek = require("snapseek");
const { persist } = require("snapseek/persist");
const slim = require("snapseek/search");
const remote = require("snapseek/worker");

async function main() {
  const [{ run, suite, workerSuite }, fixture] = await Promise.all([import("./suite.mjs"), import("./fixture.mjs")]);
  const worker = new Worker(`${__dirname}/node-worker.cjs`);
  const claims = {
    ...suite(snapseek, fixture, {
      slim,
      split: `${__dirname}/split.snap`,
      persist: { persist, places: [{ in: "file", folder: "stores" }] },
    }),
    ...workerSuite(remote, worker, fixture),
  };
  console.log(JSON.stringify(await run(claims)));
  await worker.terminate();
}
main();
