#!/usr/bin/env node
// Runs the binary of this platform. npm installs it as an optional dependency: one package per platform, of which npm takes
// the one that fits.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const CARGO = "Or build it with Rust: cargo install snapseek-cli";
const MODEL = "@snapseek/model-static-en/snapseek-static-en-v2.model";
const PREFIX = "@snapseek/cli-";

const require = createRequire(import.meta.url);

/** Returns the path of a file of a package; `undefined` if the package is not installed. */
function installed(file) {
  try {
    return require.resolve(file);
  } catch {
    return undefined;
  }
}

function fail(...lines) {
  console.error(`snapseek: ${lines.join("\n")}`);
  process.exit(1);
}

/** Returns the path of the binary, or ends the program with the reason why there is none. */
function binary() {
  const { optionalDependencies } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
  const platforms = Object.keys(optionalDependencies).filter((name) => name.startsWith(PREFIX));
  const name = `${PREFIX}${process.platform}-${process.arch}`;
  if (!platforms.includes(name)) {
    const others = platforms.map((other) => other.slice(PREFIX.length)).join(", ");
    fail(`there is no binary for ${process.platform}-${process.arch}; there are ${others}.`, CARGO);
  }
  const path = installed(`${name}/${process.platform === "win32" ? "snapseek.exe" : "snapseek"}`);
  if (path) return path;
  fail(
    `the package ${name} is not installed. npm leaves it out with --omit=optional, and where the lock file or`,
    "node_modules comes from another platform.",
    `Install it: npm install ${name}@${optionalDependencies[name]}`,
    CARGO,
  );
}

/** Sends signals on to the binary, and ends the way it ends. */
function run(path) {
  const env = { ...process.env };
  const model = installed(MODEL);
  if (model) env.SNAPSEEK_STATIC_MODEL ??= model;
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit", env });
  // A terminal sends Ctrl-C to both processes. A second one would stop a build that is still saving its vectors.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on("SIGINT", () => hasTerminal || child.kill("SIGINT"));
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`${path} cannot be run: ${error.message}`, CARGO));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

run(binary());
