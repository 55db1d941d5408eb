// A static server on the loopback, with the headers that a careful site sends.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

export const STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:";

/**
 * Serves several folders: a file comes from the first folder that has it. Every response carries `csp`.
 *
 * @param {string[]} folders
 * @param {{ csp?: string }} [options]
 */
export async function serve(folders, { csp } = {}) {
  const server = createServer(async (request, response) => {
    // `URL` resolves dots, so no path leads out of the folders.
    const { pathname } = new URL(request.url, "http://localhost");
    const path = decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const headers = csp ? { "content-security-policy": csp } : {};
    for (const folder of folders) {
      try {
        const body = await readFile(join(folder, path));
        const type = TYPES[extname(path)] ?? "application/octet-stream";
        const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
        if (first !== undefined) {
          const part = body.subarray(Number(first), Number(last) + 1);
          const range = `bytes ${first}-${Number(first) + part.length - 1}/${body.length}`;
          return response.writeHead(206, { ...headers, "content-type": type, "content-range": range }).end(part);
        }
        return response.writeHead(200, { ...headers, "content-type": type, "content-length": body.length }).end(body);
      } catch {
        // The next folder may have it.
      }
    }
    response.writeHead(404, { ...headers, "content-type": "text/plain" }).end("not found");
  });
  /** @type {Promise<void>} */
  const listening = new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await listening;
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    address: `http://127.0.0.1:${port}/`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
