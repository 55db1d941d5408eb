// Node, Deno, Bun, and workerd: the runtimes without a window.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { TOOLS } from "../project.mjs";

const exec = promisify(execFile);
const tool = (name) => join(TOOLS, name);

/** A program that prints its outcome as its last line. */
const program = (command, ...args) => async ({ project }) => {
  const { stdout } = await exec(command, args, { cwd: project, env: { ...process.env, NO_COLOR: "1" } });
  return JSON.parse(stdout.trim().split("\n").at(-1));
};
const node = (version) => tool(`node${version}-${process.arch}/bin/node`);

async function workerd({ project }) {
  const modules = new Map();
  // What wrangler does: it bundles by these conditions and leaves .wasm to the runtime.
  const wasm = {
    name: "wasm",
    setup: (build) =>
      build.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
        modules.set(path, join(resolveDir, path));
        return { path, external: true };
      }),
  };
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: ["workerd.mjs"],
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    write: false,
    plugins: [wasm],
  });
  const files = [...modules].map(async ([path, file]) => ({ type: "CompiledWasm", path, contents: await readFile(file) }));
  const worker = new Miniflare({
    compatibilityDate: "2026-01-01",
    modules: [{ type: "ESModule", path: "worker.js", contents: outputFiles[0].text }, ...(await Promise.all(files))],
  });
  try {
    return await (await worker.dispatchFetch("http://localhost/")).json();
  } finally {
    await worker.dispose();
  }
}

export const places = {
  "Node 20, ES modules": program("node", "node.mjs"),
  "Node 20, CommonJS": program("node", "node.cjs"),
  "Node 22, ES modules": program(node(22), "node.mjs"),
  "Node 22, CommonJS": program(node(22), "node.cjs"),
  "Node 24, ES modules": program(node(24), "node.mjs"),
  "Node 24, CommonJS": program(node(24), "node.cjs"),
  "Deno, no permissions": program(tool(".bin/deno"), "run", "--quiet", "--no-prompt", "--node-modules-dir=manual", "deno.mjs"),
  Bun: program(tool(".bin/bun"), "node.mjs"),
  workerd,
};
