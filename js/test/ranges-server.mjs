// A local server that answers range requests, or refuses to, and counts the requests and bytes.

import { createServer } from "node:http";

/**
 * Serves `files` by path. `how` is "ranges", "whole" for a server without ranges, or "wrong" for a server that sends other
 * bytes than requested.
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
      // Answer a little later, so that concurrent requests overlap.
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
