// The app for bundlers and browsers: the whole suite, on the page and in a worker.
import * as snapseek from "snapseek";
import { persist } from "snapseek/persist";
import * as slim from "snapseek/search";
import * as remote from "snapseek/worker";
import * as fixture from "./fixture.mjs";
import { run, suite, workerSuite } from "./suite.mjs";

async function outcome() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const [url, split] = ["/golden.snap", "/split.snap"].map((path) => new URL(path, location.href).href);
  const kept = { persist, places: [{ in: "opfs" }, { in: "indexeddb" }] };
  const claims = { ...suite(snapseek, fixture, { url, split, slim, persist: kept }), ...workerSuite(remote, worker, fixture) };
  return run(claims);
}

outcome().then(
  (outcome) => (globalThis.outcome = outcome),
  (error) => (globalThis.outcome = { passed: 0, failed: [String(error)] }),
);
