// Runs VS Code in a browser with code-server, which has two extension hosts: a worker of the page, as in VS Code for the Web,
// and Node, as on the desktop.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { printed } from "../process.mjs";
import { browserWith } from "./chromium.mjs";

const ENTRY = fileURLToPath(new URL("../code-server/node_modules/code-server/out/node/entry.js", import.meta.url));

const NOTES = {
  "keys.md": "# Rotating encryption keys\n\nRotate the keys every ninety days.\n",
  "deep/rollback.md": "# Rolling back\n\nA release is a pointer.\n",
  "node_modules/other/README.md": "# Rotating something else\n",
};

/** Makes an installed extension: a folder with a manifest and one script. */
async function extension(extensions, entry, manifest) {
  const folder = join(extensions, `${manifest.publisher}.${manifest.name}-${manifest.version}`);
  await build({
    entryPoints: [entry],
    bundle: true,
    format: "cjs",
    external: ["vscode"],
    outfile: join(folder, "dist/extension.js"),
    logOverride: { "empty-import-meta": "silent" },
  });
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
}

/** Starts an editor with both extensions for one host, reads their outcomes, and ends the editor. */
async function inEditor({ project }, host, ask) {
  const home = await mkdtemp(join(tmpdir(), "snapseek-code-"));
  const [folder, extensions] = [join(home, "notes"), join(home, "extensions")];
  for (const [name, text] of Object.entries(NOTES)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const script = { [host === "web" ? "browser" : "main"]: "./dist/extension.js" };
  const { main: _, browser: __, ...manifest } = JSON.parse(await readFile(join(project, "examples/vscode-extension/package.json"), "utf8"));
  await extension(extensions, join(project, "examples/vscode-extension/extension.js"), { ...manifest, ...script });
  await extension(extensions, join(project, "extension.cjs"), {
    name: "suite",
    publisher: "example",
    version: "0.1.0",
    engines: manifest.engines,
    activationEvents: ["onStartupFinished"],
    ...script,
  });
  const args = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--user-data-dir", join(home, "user"), "--extensions-dir", extensions];
  const off = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override"];
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_DATA_HOME: join(home, "data") };
  const server = spawn(process.execPath, [ENTRY, ...args, ...off, folder], { env, detached: true });
  try {
    const address = await printed(server, /http:\/\/127\.0\.0\.1:\d+/);
    const page = await (await browserWith()).newPage();
    await page.goto(`${address}/?folder=${encodeURIComponent(folder)}`);
    return await ask(page, folder);
  } finally {
    process.kill(-server.pid);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const place = (host) => async (context) => {
  if (!existsSync(ENTRY)) return { absent: "code-server could not be installed" };
  return inEditor(context, host, async (page, folder) => {
    const file = join(folder, `outcome-${host}.json`);
    for (const end = Date.now() + 90_000; !existsSync(file); ) {
      if (Date.now() > end) throw new Error("the extension did not answer in 90 s");
      await page.waitForTimeout(200);
    }
    await page.waitForTimeout(200);
    const outcome = JSON.parse(await readFile(file, "utf8"));
    await page.keyboard.press("F1");
    await page.keyboard.type("Search Notes");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "Search Notes" }).first().click();
    await page.getByPlaceholder("Search 2 notes").waitFor();
    await page.keyboard.type("rotat");
    await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    const labels = await page.locator(".quick-input-list .monaco-list-row .label-name").allTextContents();
    if (labels[0] !== "Rotating encryption keys") outcome.failed.push(`the example shows ${JSON.stringify(labels)}`);
    return { ...outcome, passed: outcome.passed + 1 };
  });
};

export { close } from "./chromium.mjs";

export const places = {
  "VS Code, web extension host, and its example": place("web"),
  "VS Code, Node extension host, and its example": place("node"),
};
