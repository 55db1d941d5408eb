// How each generator is installed, and how it builds the small site in the folder of its name.
//
// The versions are pinned: in package-lock.json, and in requirements.txt. Hugo is Debian's.

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SOURCES = fileURLToPath(new URL(".", import.meta.url));
/** Everything that is installed or built goes here, and stays for the next run. */
export const CACHE = fileURLToPath(new URL("../../target/sites/", import.meta.url));

const LIMIT = 300_000;
const execute = promisify(execFile);
const run = (command, args, options = {}) => execute(command, args, { timeout: LIMIT, ...options });

/** Does `work` unless it was done with these pinned versions before. */
async function once(folder, pins, work) {
  const wanted = await readFile(`${SOURCES}${pins}`, "utf8");
  const done = `${CACHE}${folder}/installed`;
  if ((await readFile(done, "utf8").catch(() => "")) === wanted) return;
  await rm(`${CACHE}${folder}`, { recursive: true, force: true });
  await mkdir(`${CACHE}${folder}`, { recursive: true });
  await work(`${CACHE}${folder}`);
  await writeFile(done, wanted);
}

const installNpm = () =>
  once("npm", "package-lock.json", async (folder) => {
    for (const name of ["package.json", "package-lock.json"]) await cp(`${SOURCES}${name}`, `${folder}/${name}`);
    // Not npm ci: it asks for the packages of other platforms, which not every registry has.
    await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
  });

const installPython = () =>
  once("python", "requirements.txt", async (folder) => {
    await run("python3", ["-m", "venv", folder]);
    await run(`${folder}/bin/pip`, ["install", "--quiet", "--disable-pip-version-check", "--requirement", `${SOURCES}requirements.txt`]);
  });

async function installHugo() {
  const isThere = () =>
    run("hugo", ["version"]).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  if (process.getuid() !== 0) throw new Error("hugo is missing: sudo apt-get install hugo");
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  await run("apt-get", ["update", "-qq"], quiet);
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "hugo"], quiet);
}

/** Copies the sources of a site to a fresh folder: some generators write beside them. */
async function copied(generator, folder) {
  await rm(folder, { recursive: true, force: true });
  await cp(`${SOURCES}${generator}`, folder, { recursive: true });
  return folder;
}

/** Where a site is made: the folder of its sources, and the folder of its pages. */
async function workshop(generator, theme = "") {
  const built = `${CACHE}built/${generator}${theme && `-${theme}`}`;
  await rm(built, { recursive: true, force: true });
  return { source: await copied(generator, `${CACHE}sources/${generator}`), built };
}

const sphinx = (theme, content) => ({
  name: `Sphinx (${theme})`,
  install: installPython,
  content,
  build: async () => {
    const { source, built } = await workshop("sphinx", theme);
    await run(`${CACHE}python/bin/sphinx-build`, ["-q", "-b", "html", "-D", `html_theme=${theme}`, source, built]);
    return { built };
  },
});

const mkdocs = (theme, content) => ({
  name: `MkDocs (${theme})`,
  install: installPython,
  content,
  slugs: "mkdocs",
  build: async () => {
    const { source, built } = await workshop("mkdocs", theme);
    const env = { ...process.env, NO_MKDOCS_2_WARNING: "1" };
    await run(`${CACHE}python/bin/mkdocs`, ["build", "--quiet", "--strict", "--theme", theme, "--site-dir", built], { cwd: source, env });
    return { built, markdown: `${source}/docs` };
  },
});

/**
 * `content` selects the element that holds the text of a page; `slugs` is the option of `snapseek build` for the Markdown
 * that the generator reads.
 */
export const GENERATORS = [
  {
    name: "VitePress",
    install: installNpm,
    content: ".vp-doc",
    slugs: "vitepress",
    build: async () => {
      // Beside node_modules, where the scripts of the site find Vue.
      const source = await copied("vitepress", `${CACHE}npm/site`);
      const env = { ...process.env, NO_COLOR: "1" };
      await run(`${CACHE}npm/node_modules/.bin/vitepress`, ["build", source], { env });
      return { built: `${source}/.vitepress/dist`, markdown: source };
    },
  },
  sphinx("alabaster", "div.body"),
  sphinx("furo", "article"),
  sphinx("sphinx_rtd_theme", "div.document"),
  mkdocs("mkdocs", "[role=main]"),
  mkdocs("material", "article"),
  {
    name: "Hugo",
    install: installHugo,
    content: "main",
    slugs: "github",
    build: async () => {
      const { source, built } = await workshop("hugo");
      await run("hugo", ["--quiet", "--source", source, "--destination", built]);
      return { built, markdown: `${source}/content` };
    },
  },
];
