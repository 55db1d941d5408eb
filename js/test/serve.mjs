// A static server for the tests of the page: www/ at /, pkg/ at /pkg/, and one snapshot.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";

const ROOT = new URL("../../", import.meta.url);
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Starts a server on a free local port; returns its address and a function that stops it. */
export async function serve(snapshot) {
  const server = createServer(async (request, response) => {
    // `URL` resolves dots, so no path leads out of www/ and pkg/.
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname === "/" ? "/index.html" : pathname;
    try {
      const file = path.startsWith("/pkg/") ? `.${path}` : `./www${path}`;
      const body = path === "/demo.snap" ? snapshot : await readFile(new URL(file, ROOT));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
