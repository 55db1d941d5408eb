// The command line from npm: the packed packages in an empty folder, on a machine without Rust.

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { printed } from "../process.mjs";
import { run } from "../suite.mjs";

const exec = promisify(execFile);
const TARBALLS = fileURLToPath(new URL("../../../target/npm", import.meta.url));
const OWN = `@snapseek/cli-${process.platform}-${process.arch}`;

/** The programs that npm needs. There is no cargo among them. */
const PROGRAMS = ["node", "npm", "npx", "sh", "env"];

const SITE = {
  "index.html": "<title>Start</title><main><h1 id='start'>Start</h1><p>Welcome to the manual.</p></main>",
  "guide/install.html": "<title>Install</title><main><h1 id='linux'>Linux</h1><p>Unpack the archive.</p></main>",
};
const RECORDS = [
  { id: 1, title: "Rotating encryption keys" },
  { id: 2, title: "A lazy dog" },
  { id: 3, title: "How to keep secrets safe" },
];
const SCHEMA = { fields: { title: {} }, vectors: { en: { embedder: "static" } } };

/** Builds the same snapshot as the command line, with the model in each form that `build` takes. */
const SCRIPT = `import { readFile, writeFile } from "node:fs/promises";
import model from "@snapseek/model-static-en";
import { build } from "snapseek";

const [records, { fields, vectors }] = [${JSON.stringify(RECORDS)}, ${JSON.stringify(SCHEMA)}];
const forms = { url: model, path: model.pathname, bytes: await readFile(model), blob: new Blob([await readFile(model)]) };
for (const [form, model] of Object.entries(forms)) {
  const engine = await build(records, { fields, vectors: { en: { ...vectors.en, model } } });
  await writeFile(form + ".snap", engine.snapshot());
}
`;

const truth = (value, claim) => {
  if (!value) throw new Error(claim);
};
const equal = (found, wanted) => truth(found === wanted, `${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);

/** Makes a folder with these programs, for a PATH that has nothing else. */
async function folderOfPrograms(folder) {
  await mkdir(folder);
  for (const name of PROGRAMS) {
    const places = process.env.PATH.split(delimiter).map((place) => join(place, name));
    const found = places.find((place) => existsSync(place));
    truth(found, `${name} is not on the PATH`);
    await symlink(await realpath(found), join(folder, name));
  }
  return folder;
}

/** Makes an empty project, and returns the function that runs a program in it. */
async function projectIn(work) {
  const env = { PATH: await folderOfPrograms(join(work, "programs")), HOME: work, npm_config_offline: "true", npm_config_audit: "false" };
  const folder = join(work, "project");
  await mkdir(folder);
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", scripts: { version: "snapseek --version" } }),
  );
  /** Returns what a program printed and its exit code. */
  const call = (program, ...args) =>
    exec(program, args, { cwd: folder, env }).then(
      (output) => ({ ...output, code: 0 }),
      ({ stdout, stderr, code }) => ({ stdout, stderr, code }),
    );
  return { folder, env, call };
}

/** Tries everything outside of the repository, where the binary would find the model. */
async function npx() {
  const work = await mkdtemp(join(await realpath(tmpdir()), "snapseek-npx-"));
  try {
    return await tried(work);
  } finally {
    await rm(work, { recursive: true });
  }
}

async function tried(work) {
  const { folder, env, call } = await projectIn(work);
  const { version } = JSON.parse(await readFile(join(TARBALLS, "../../pkg.json"), "utf8"));
  const tarballs = (await readdir(TARBALLS)).filter((name) => name.endsWith(`-${version}.tgz`)).map((name) => join(TARBALLS, name));
  const snapseek = (...args) => call("npx", "snapseek", ...args);
  const succeed = async (...args) => {
    const { stdout, stderr, code } = await snapseek(...args);
    truth(code === 0, `snapseek ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const script = join(folder, "node_modules/snapseek/cli.js");

  return run({
    "there is no cargo": async () => truth(!existsSync(join(env.PATH, "cargo")), "cargo is on the PATH"),
    "npm installs the packed packages": async () => {
      const { code, stderr } = await call("npm", "install", "--save-dev", "--no-fund", ...tarballs);
      truth(code === 0, stderr);
      for (const name of ["snapseek", OWN, "@snapseek/model-static-en"]) {
        const files = await readdir(join(folder, "node_modules", name));
        for (const file of ["README.md", "LICENSE-APACHE", "package.json"]) truth(files.includes(file), `${name} has no ${file}`);
        equal(JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8")).version, version);
      }
    },
    "npx builds a folder of pages and finds one": async () => {
      for (const [name, text] of Object.entries(SITE)) {
        await mkdir(join(folder, "site", name, ".."), { recursive: true });
        await writeFile(join(folder, "site", name), text);
      }
      await succeed("build", "site/", "-o", "search.snap", "--base-url", "https://example.com/");
      const { hits } = JSON.parse(await succeed("search", "search.snap", "unpack the archive", "--json", "--records"));
      equal(`${hits[0].record.url}#${hits[0].record.anchor}`, "https://example.com/guide/install.html#linux");
    },
    "scripts of the project find snapseek on their PATH": async () => {
      const { stdout } = await call("npm", "run", "--silent", "version");
      equal(stdout.trim(), `snapseek ${version}`);
    },
    "--embed static finds the model by name, and JavaScript builds the same bytes": async () => {
      await writeFile(join(folder, "records.jsonl"), RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(""));
      await writeFile(join(folder, "schema.json"), JSON.stringify(SCHEMA));
      await writeFile(join(folder, "build.js"), SCRIPT);
      await succeed("build", "records.jsonl", "-o", "embedded.snap", "--schema", "schema.json", "--embed", "static");
      const { code, stderr } = await call("node", "build.js");
      truth(code === 0, stderr);
      const bytes = await readFile(join(folder, "embedded.snap"));
      for (const form of ["url", "path", "bytes", "blob"]) {
        truth(bytes.equals(await readFile(join(folder, `${form}.snap`))), `the model as ${form} gives other bytes`);
      }
      const { hits } = JSON.parse(await succeed("search", "embedded.snap", "password protection", "--mode", "vector", "--json"));
      equal(hits[0].id, "3");
    },
    "the exit code is that of the binary": async () => {
      equal((await snapseek("build", "nothing.jsonl", "-o", "x.snap")).code, 1);
      equal((await snapseek("build", "--nonsense")).code, 2);
    },
    "signals reach the binary": async () => {
      const server = spawn("node", [script, "serve", "search.snap", "--port", "0"], { cwd: folder, env });
      const ended = new Promise((resolve) => server.on("exit", (code, signal) => resolve(code ?? signal)));
      const address = await printed(server, /http:\/\/\S+/);
      server.kill("SIGTERM");
      equal(await ended, 0);
      const answer = await fetch(address).catch(() => undefined);
      truth(!answer, "the server still answers");
    },
    "another platform is told which there are": async () => {
      const otherArch = 'data:text/javascript,Object.defineProperty(process,"arch",{value:"mips"})';
      const { code, stderr } = await call("node", "--import", otherArch, script, "--version");
      equal(code, 1);
      truth(/there is no binary for \w+-mips; there are .*linux-x64/.test(stderr) && /cargo install snapseek-cli/.test(stderr), stderr);
    },
    "without the platform's package, a message says how to get it": async () => {
      const bare = join(folder, "../bare");
      await cp(folder, bare, { recursive: true });
      await rm(join(bare, "node_modules", OWN), { recursive: true });
      const { code, stderr } = await call("node", join(bare, "node_modules/snapseek/cli.js"), "--version");
      equal(code, 1);
      truth(stderr.includes(`npm install ${OWN}@${version}`) && stderr.includes("cargo install snapseek-cli"), stderr);
    },
    "without the model's package, --embed static says how to get it": async () => {
      await rm(join(folder, "node_modules/@snapseek/model-static-en"), { recursive: true });
      const { code, stderr } = await snapseek("build", "records.jsonl", "-o", "x.snap", "--embed", "static");
      equal(code, 1);
      truth(stderr.includes("npm install @snapseek/model-static-en"), stderr);
    },
  });
}

export const places = { "npx, without Rust": npx };
