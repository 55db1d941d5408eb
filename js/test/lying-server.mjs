// A local server of one file that answers range requests, counts them, and lies as it is told.

import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

/**
 * Serves a file at `/docs.snap`, and redirects `/moved.snap` to it. The tests change the state under way:
 *
 * - `file` and `headers`: the bytes, and headers such as the validator;
 * - `lie`: decides per request, from its number and range, how to answer it: "whole", "wrong", "short", "long", "gzip",
 *   "never", "cut", "slow", a status, or nothing for the truth.
 */
export async function serveLies(file, headers = { etag: '"1"' }) {
  const state = { file, headers, lie: () => undefined, requests: [], bytes: 0, open: 0, most: 0, aborted: 0 };
  const server = createServer((request, response) => {
    if (request.url === "/moved.snap") return response.writeHead(302, { location: "/docs.snap" }).end();
    if (request.url !== "/docs.snap") return response.writeHead(404).end("not found");
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const range = first === undefined ? undefined : [Number(first), Math.min(Number(last) + 1, state.file.length)];
    const told = state.lie(state.requests.length, range);
    state.requests.push({ range, headers: request.headers });
    state.most = Math.max(state.most, ++state.open);
    let isDone = false;
    response.on("close", () => {
      state.open--;
      if (!isDone) state.aborted++;
    });
    const answer = (status, sent, more = {}, length = sent.length) => {
      state.bytes += sent.length;
      response.writeHead(status, { ...state.headers, "content-length": length, ...more });
      // Answer a little later, so that concurrent requests overlap.
      setTimeout(() => {
        isDone = true;
        if (sent.length < length) response.write(sent, () => response.destroy());
        else response.end(sent);
      }, told === "slow" ? 100 : 5);
    };
    if (told === "never") return;
    if (typeof told === "number") return answer(told, Buffer.from("later"));
    const condition = request.headers["if-range"];
    const isOther = condition !== undefined && condition !== (state.headers.etag ?? state.headers["last-modified"]);
    if (!range || told === "whole" || isOther) return answer(200, state.file);
    const [start, end] = range;
    if (start >= state.file.length) return answer(416, Buffer.from(""));
    const shift = told === "wrong" ? 1 : 0;
    const place = { "content-range": `bytes ${start + shift}-${end - 1 + shift}/${state.file.length}` };
    const part = state.file.subarray(start, end);
    if (told === "short") return answer(206, part.subarray(0, part.length >> 1), place);
    if (told === "cut") return answer(206, part.subarray(0, part.length >> 1), place, part.length);
    if (told === "long") return answer(206, Buffer.concat([part, part]), place);
    if (told === "gzip") return answer(206, gzipSync(part), { ...place, "content-encoding": "gzip" });
    return answer(206, part, place);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  return Object.assign(state, {
    address,
    url: `${address}/docs.snap`,
    stop: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  });
}
