// A server on the loopback that gives files in parts, or refuses to, and counts what it gave.

import { createServer } from "node:http";

/**
 * Serves `files` by path. `how` is "ranges", "whole" for a server that does not know ranges, or "wrong" for one that
 * gives other bytes than it was asked for.
 */
export async function serveRanges(files, how = "ranges") {
  const counted = { requests: 0, bytes: 0, most: 0, open: 0 };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = files[pathname];
    if (!file) return response.writeHead(404).end("not found");
    const asked = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (pathname.includes(".docs")) {
      counted.requests++;
      counted.most = Math.max(counted.most, ++counted.open);
    }
    const done = (body) => {
      if (pathname.includes(".docs")) counted.bytes += body.length;
      // A little later, so that requests at the same time are seen to be at the same time.
      setTimeout(() => (counted.open--, response.end(body)), 5);
    };
    if (!asked || how === "whole") return response.writeHead(200), done(file);
    const shift = how === "wrong" ? 1 : 0;
    const [start, end] = [Number(asked[1]) + shift, Number(asked[2]) + 1 + shift];
    if (start >= file.length) return response.writeHead(416), done("");
    const part = file.subarray(start, end);
    response.writeHead(206, { "content-range": `bytes ${start}-${start + part.length - 1}/${file.length}` });
    return done(part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    counted,
    stop: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}
