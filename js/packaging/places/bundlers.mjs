// Builds a minimal app with each bundler, without configuration for this package, and runs it in Chromium.

import { execFile, spawn } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import nodeResolve from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";
import { printed } from "../process.mjs";
import { TOOLS } from "../project.mjs";
import { serve } from "../server.mjs";
import { visit } from "./chromium.mjs";

/** The browser reports the 404 for a missing .wasm file; the module then comes from the inline script. */
const MISSING = /status of 404/;

/** Makes a folder with only the snapshots. */
async function filesOf(project, name) {
  const folder = join(project, name);
  await mkdir(folder, { recursive: true });
  for (const file of ["golden.snap", "split.snap", "split.snap.docs"]) await copyFile(join(project, file), join(folder, file));
  return folder;
}

async function served(folders, options) {
  const server = await serve(folders);
  try {
    return await visit(server.address, options);
  } finally {
    await server.stop();
  }
}

async function viteBuild({ project }) {
  const outDir = join(project, "out-vite");
  await vite.build({ root: project, configFile: false, logLevel: "error", worker: { format: "es" }, build: { outDir } });
  return served([outDir, project]);
}

/** Vite's development server bundles packages in advance, and sends the page in place of a missing file. */
async function viteDev({ project }) {
  const server = await vite.createServer({ root: project, configFile: false, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  await server.listen();
  try {
    return await visit(server.resolvedUrls.local[0], { allowed: /Outdated Optimize Dep|504/ });
  } finally {
    await server.close();
  }
}

async function webpackBuild({ project }) {
  const folder = join(project, "out-webpack");
  const compiler = webpack({
    context: project,
    entry: "./app.js",
    mode: "production",
    output: { path: folder, filename: "app.js" },
    performance: false,
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString("errors-warnings"));
  await copyFile(join(project, "index.html"), join(folder, "index.html"));
  return served([folder, project]);
}

async function esbuildBuild({ project }) {
  const outdir = join(project, "out-esbuild");
  const entryPoints = ["app.js", "worker.js"];
  await esbuild.build({ absWorkingDir: project, entryPoints, bundle: true, splitting: true, format: "esm", outdir });
  await copyFile(join(project, "index.html"), join(outdir, "index.html"));
  const files = await filesOf(project, "files");
  return served([outdir, files], { allowed: MISSING });
}

async function rollupBuild({ project }) {
  const dir = join(project, "out-rollup");
  const input = ["app.js", "worker.js"].map((name) => join(project, name));
  const bundle = await rollup({
    input,
    plugins: [nodeResolve({ browser: true })],
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  await bundle.write({ dir, format: "es" });
  await copyFile(join(project, "index.html"), join(dir, "index.html"));
  const files = await filesOf(project, "files");
  return served([dir, files], { allowed: MISSING });
}

async function next({ project }) {
  const folder = join(project, "next");
  const app = join(folder, "app");
  await mkdir(join(app, "suite"), { recursive: true });
  await filesOf(project, "next/public");
  await mkdir(join(app, "edge"), { recursive: true });
  const route = `import * as snapseek from "snapseek";
import * as slim from "snapseek/search";
import * as fixture from "../../../fixture.mjs";
import { run, suite } from "../../../suite.mjs";

export const dynamic = "force-dynamic";
export const GET = async () => Response.json(await run(suite(snapseek, fixture, { slim })));
`;
  const files = {
    "package.json": JSON.stringify({ name: "next-app", private: true }),
    "app/layout.js": `export default function Layout({ children }) {
  return <html><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;
}
`,
    "app/page.js": `"use client";
import { useEffect } from "react";

export default function Page() {
  useEffect(() => void import("../../app.js"), []);
  return <p>snapseek</p>;
}
`,
    "app/suite/route.js": route,
    "app/edge/route.js": `export const runtime = "edge";\n${route}`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  const command = join(TOOLS, "next/dist/bin/next");
  await promisify(execFile)(process.execPath, [command, "build"], { cwd: folder, env });
  const server = spawn(process.execPath, [command, "start", "--hostname", "127.0.0.1", "--port", "0"], { cwd: folder, env });
  try {
    const address = await printed(server, /http:\/\/127\.0\.0\.1:\d+/);
    const route = async (name) => (await fetch(`${address}/${name}`)).json();
    const outcomes = { page: await visit(`${address}/`), "route in Node": await route("suite"), "route at the edge": await route("edge") };
    return {
      passed: Object.values(outcomes).reduce((sum, { passed }) => sum + passed, 0),
      failed: Object.entries(outcomes).flatMap(([where, { failed }]) => failed.map((fault) => `${where}: ${fault}`)),
    };
  } finally {
    server.kill();
  }
}

export { close } from "./chromium.mjs";

export const places = {
  esbuild: esbuildBuild,
  Rollup: rollupBuild,
};

export const filed = {
  Vite: viteBuild,
  "Vite, development server": viteDev,
  webpack: webpackBuild,
  "Next.js: page, route in Node, route at the edge": next,
};
