// Node, Deno, Bun, and workerd: the runtimes without a window.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { TOOLS } from "../project.mjs";

const exec = promisify(execFile);
const tool = (name) => join(TOOLS, name);

/** Runs a program that prints its outcome as the last line. */
const program =
  (command, ...args) =>
  async ({ project }) => {
    if (command.includes("/") && !existsSync(command)) return { absent: "its package has no build for this machine" };
    const { stdout } = await exec(command, args, { cwd: project, env: { ...process.env, NO_COLOR: "1" } });
    return JSON.parse(stdout.trim().split("\n").at(-1));
  };
const node = (version) => tool(`node${version}-${process.arch}/bin/node`);

/** Bundles a worker with the conditions that wrangler sets, leaves .wasm and data to the runtime, and requests its outcome. */
export async function inWorkerd(folder, entry, ask) {
  const modules = new Map();
  const files = {
    name: "files",
    setup: (build) =>
      build.onResolve({ filter: /\.(wasm|snap)$/ }, ({ path, resolveDir }) => {
        modules.set(path, join(resolveDir, path));
        return { path, external: true };
      }),
  };
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    write: false,
    plugins: [files],
  });
  const script = { type: "ESModule", path: "worker.js", contents: outputFiles[0].text };
  const others = [...modules].map(async ([path, file]) => {
    return { type: path.endsWith(".wasm") ? "CompiledWasm" : "Data", path, contents: await readFile(file) };
  });
  const worker = new Miniflare({ cf: false, compatibilityDate: "2026-01-01", modules: [script, ...(await Promise.all(others))] });
  try {
    return await ask(worker);
  } finally {
    await worker.dispose();
  }
}

const workerd = ({ project }) =>
  inWorkerd(project, "workerd.mjs", async (worker) => (await worker.dispatchFetch("http://localhost/")).json());

export const filed = {
  "Node 20, ES modules": program("node", "node.mjs"),
  "Node 20, CommonJS": program("node", "node.cjs"),
  "Node 22, ES modules": program(node(22), "node.mjs"),
  "Node 22, CommonJS": program(node(22), "node.cjs"),
  "Node 24, ES modules": program(node(24), "node.mjs"),
  "Node 24, CommonJS": program(node(24), "node.cjs"),
  Bun: program(tool(".bin/bun"), "node.mjs"),
  workerd,
  "Node 20, without the inline script": program("node", "node-refused.mjs"),
};

const deno = (...args) => program(tool(".bin/deno"), "run", "--quiet", "--no-prompt", "--node-modules-dir=manual", ...args);

export const places = {
  "Node 20, the module as a script": program("node", "node-inline.cjs"),
  "Deno, no permissions": deno("deno.mjs"),
  "Deno, files": deno("--allow-read=.", "--allow-write=.", "deno-files.mjs"),
};
