// The suite in Node and similar runtimes, as an ES module.
import { Worker } from "node:worker_threads";
import * as snapseek from "snapseek";
import { persist } from "snapseek/persist";
import * as slim from "snapseek/search";
import * as remote from "snapseek/worker";
import * as fixture from "./fixture.mjs";
import { run, suite, workerSuite } from "./suite.mjs";

const worker = new Worker(new URL("./node-worker.mjs", import.meta.url));
const url = new URL("./golden.snap", import.meta.url);
const split = new URL("./split.snap", import.meta.url).pathname;
const claims = {
  ...suite(snapseek, fixture, { slim, split, persist: { persist, places: [{ in: "file", folder: "stores" }] } }),
  ...workerSuite(remote, worker, fixture),
};
claims["opens a file"] = async () => {
  for (const place of [url, url.pathname]) (await snapseek.open(place)).free();
  (await remote.openInWorker(worker, url)).free();
};
console.log(JSON.stringify(await run(claims)));
await worker.terminate();
