// The launch options of Debian's Chromium: they also work as root, and keep it off the network.

import { existsSync } from "node:fs";

export const CHROMIUM = {
  executablePath: ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path)),
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
