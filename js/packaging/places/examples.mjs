// Runs the examples as a reader would.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, cp, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as vite from "vite";
import { serve } from "../server.mjs";
import { visit } from "./chromium.mjs";
import { inWorkerd } from "./runtimes.mjs";

const exec = promisify(execFile);

/** Runs an example with its snapshot. Each of its assertions is a claim. */
const example =
  (name, check) =>
  async ({ project }) => {
    const folder = join(project, "examples", name);
    const snapshot = join(folder, "notes.snap");
    await exec("node", ["build.mjs", "../notes.jsonl", snapshot], { cwd: join(project, "examples/node-cli") });
    let claims = 0;
    const equal = (found, wanted) => (assert.deepEqual(found, wanted), (claims += 1));
    const outcome = await check(folder, equal, snapshot, join(project, "node_modules/snapseek"));
    return { passed: claims, failed: outcome?.failed ?? [] };
  };

/** Types a query into the page's search box and reads the list of hits. */
const typing =
  (equal, query, wanted, selector = "#hits li") =>
  async (page) => {
    await page.waitForSelector("#query:enabled");
    await page.locator("#query").pressSequentially(query);
    await page.waitForFunction(([selector, count]) => document.querySelectorAll(selector).length === count, [selector, wanted.length]);
    equal(await page.locator(selector).allInnerTexts(), wanted);
    return { passed: 1, failed: [] };
  };

const nodeCli = example("node-cli", async (folder, equal, snapshot) => {
  const run = (...args) => exec("node", ["search.mjs", ...args], { cwd: folder });
  const { stdout } = await run(snapshot, "rolbing", "back");
  equal(/^\d+\.\d\d {2}Rolling back in two minutes: .*\[Rolling\] \[back\]/m.test(stdout), true);
  const failed = await run("package.json", "fox").catch((error) => error);
  equal([failed.code, failed.stderr.split(":")[0]], [1, "snapshot/not-a-snapshot"]);
});

const staticPage = example("static-page", async (folder, equal, _, snapseek) => {
  await cp(snapseek, join(folder, "snapseek"), { recursive: true });
  const server = await serve([folder]);
  try {
    const wanted = [
      "Rolling back in two minutes\n\nA release is a pointer. Rolling back moves the pointer to the release before, and restarts nothing.",
    ];
    return await visit(server.address, { use: typing(equal, "restarts not", wanted) });
  } finally {
    await server.stop();
  }
});

const viteApp = example("vite-app", async (folder, equal, snapshot) => {
  await mkdir(join(folder, "public"), { recursive: true });
  await copyFile(snapshot, join(folder, "public/notes.snap"));
  await vite.build({ root: folder, configFile: false, logLevel: "error" });
  const server = await serve([join(folder, "dist")]);
  try {
    return await visit(server.address, { use: typing(equal, "passwo", ["Passwords and tokens"]) });
  } finally {
    await server.stop();
  }
});

const cloudflareWorker = example("cloudflare-worker", (folder, equal) =>
  inWorkerd(folder, "worker.js", async (worker) => {
    const ask = async (search) => (await worker.dispatchFetch(`http://localhost/${search}`)).json();
    equal(
      (await ask("?q=restore+backup")).map(({ id }) => id),
      ["restore"],
    );
    equal((await ask("?q=a+key&topic=security")).map(({ id }) => id).sort(), ["keys"]);
  }),
);

/** The registries do not have Electron itself. Node stands in for its main process, Chromium for its renderer. */
const electron = example("electron", async (folder, equal) => {
  const { search } = createRequire(import.meta.url)(join(folder, "notes.cjs"));
  equal(await search("backup"), ["Restoring a backup"]);
  await cp(join(folder, "../../node_modules"), join(folder, "node_modules"), { recursive: true });
  const url = pathToFileURL(join(folder, "renderer/index.html")).href;
  return visit(url, { flags: ["--allow-file-access-from-files"], use: typing(equal, "alerts wa", ["Which alerts wake someone"]) });
});

export { close } from "./chromium.mjs";

export const places = {
  "example: Node command line": nodeCli,
  "example: static page": staticPage,
  "example: Vite app, engine in a worker": viteApp,
  "example: Cloudflare Worker": cloudflareWorker,
  "example: Electron, its parts in Node and Chromium": electron,
  "Electron itself": async () => ({ absent: "its package downloads it from elsewhere; the line above stands in for it" }),
};
