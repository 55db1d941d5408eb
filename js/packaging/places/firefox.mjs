// Runs the suite in Firefox through WebDriver BiDi.

import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import { STRICT, serve } from "../server.mjs";
import { unbundled } from "./chromium.mjs";

const EXECUTABLE = "/usr/bin/firefox-esr";

async function firefox({ project }) {
  if (!existsSync(EXECUTABLE)) return { absent: "firefox-esr could not be installed" };
  await unbundled(project);
  const server = await serve([project], { csp: STRICT });
  const browser = await puppeteer.launch({ browser: "firefox", executablePath: EXECUTABLE, headless: true });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.address}unbundled/`);
    const outcome = await page.waitForFunction(() => globalThis.outcome, { timeout: 90_000 });
    return await outcome.jsonValue();
  } finally {
    await browser.close();
    await server.stop();
  }
}

export const places = {};
export const filed = { "Firefox, strict CSP": firefox };
