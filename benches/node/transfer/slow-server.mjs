// A static server on the loopback that is as slow as a phone's connection, and counts the bytes that it sends.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".css": "text/css",
  ".wasm": "application/wasm",
};
/** Time until the first byte of a response, in milliseconds. */
const LATENCY = 50;
/** Bytes per second, shared by all responses: 20 Mbit/s. */
const BANDWIDTH = 20e6 / 8;
/** Bytes sent at a time. */
const PIECE = 16_384;

/**
 * Serves a folder. Of `name.br` and `name`, a browser that accepts brotli gets the first.
 *
 * @param {string} folder
 */
export async function serveSlowly(folder) {
  let sent = { requests: 0, bytes: 0 };
  /** The time at which the line is free again. */
  let free = 0;

  /** Waits until the line has carried this many bytes more. */
  async function carry(bytes) {
    const now = performance.now();
    free = Math.max(free, now) + (bytes / BANDWIDTH) * 1000;
    if (free - now > 1) await wait(free - now);
  }

  const server = createServer(async (request, response) => {
    await wait(LATENCY);
    const { pathname } = new URL(request.url, "http://localhost");
    const path = join(folder, decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    const takesBrotli = /\bbr\b/.test(request.headers["accept-encoding"] ?? "") && !request.headers.range;
    const packed = takesBrotli && (await stat(`${path}.br`).catch(() => undefined));
    const file = packed || (await stat(path).catch(() => undefined));
    if (!file?.isFile()) return response.writeHead(404, { "content-length": 0 }).end();
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    const start = first === undefined ? 0 : Number(first);
    const end = last ? Math.min(Number(last) + 1, file.size) : file.size;
    const headers = {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "content-length": end - start,
      "accept-ranges": "bytes",
      etag: `"${file.size}-${file.mtimeMs}"`,
      ...(packed && { "content-encoding": "br" }),
      ...(first !== undefined && { "content-range": `bytes ${start}-${end - 1}/${file.size}` }),
    };
    response.writeHead(first === undefined ? 200 : 206, headers);
    response.flushHeaders();
    const headBytes = Object.entries(headers).reduce((sum, pair) => sum + pair.join(": \r\n").length, 17);
    sent.requests++;
    sent.bytes += headBytes;
    for await (const piece of createReadStream(packed ? `${path}.br` : path, { start, end: end - 1, highWaterMark: PIECE })) {
      await carry(piece.length);
      sent.bytes += piece.length;
      if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end();
  });
  /** @type {Promise<void>} */
  const listening = new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await listening;
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    address: `http://127.0.0.1:${port}/`,
    /** Returns what was sent since the last time. */
    take() {
      const taken = sent;
      sent = { requests: 0, bytes: 0 };
      return taken;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
