// Runs the suite in WebKitGTK through WebDriver, on a virtual display.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { STRICT, serve } from "../server.mjs";
import { unbundled } from "./chromium.mjs";

const BROWSER = ["x86_64", "aarch64"]
  .map((arch) => `/usr/lib/${arch}-linux-gnu/webkit2gtk-4.1/MiniBrowser`)
  .find((path) => existsSync(path));

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function until(attempt, seconds) {
  for (const end = Date.now() + seconds * 1000; ; ) {
    try {
      const found = await attempt();
      if (found) return found;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error(`nothing in ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function webkit({ project }) {
  if (!BROWSER) return { absent: "webkit2gtk-driver could not be installed" };
  await unbundled(project);
  const server = await serve([project], { csp: STRICT });
  const port = await freePort();
  // WebKitGTK 2.50.6 compiles WebAssembly on other threads while it runs, and the running code is sometimes wrong: 10 of
  // 3869 builds in new frames failed, with and without SIMD, with and without growing memory. Without the last compiler tier
  // 51 of 3469 failed; with the remaining tiers on one thread, none of 1488 did.
  const env = { ...process.env, JSC_useConcurrentJIT: "0" };
  // A process group of its own, so that the display ends together with the driver.
  const driver = spawn("xvfb-run", ["--auto-servernum", "WebKitWebDriver", `--port=${port}`], { detached: true, stdio: "ignore", env });
  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  let session;
  try {
    await until(() => ask("GET", "/status"), 20);
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary: BROWSER, args: ["--automation"] } } };
    session = `/session/${(await ask("POST", "/session", { capabilities })).sessionId}`;
    await ask("POST", `${session}/url`, { url: `${server.address}unbundled/` });
    const script = { script: "return globalThis.outcome", args: [] };
    return await until(() => ask("POST", `${session}/execute/sync`, script), 90);
  } finally {
    if (session) await ask("DELETE", session).catch(() => {});
    process.kill(-driver.pid);
    await server.stop();
  }
}

export const places = {};
export const filed = { "WebKitGTK, strict CSP": webkit };
