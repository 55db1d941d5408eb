// Reads parts of a file over HTTP with range requests.

import { SnapseekError, refusal } from "./errors.js";

/** How to handle a server that ignores range requests: fail, or download the whole file. */
export type MissingRanges = "error" | "download";

/** Reads the bytes from `start` up to, but not including, `end`; fewer at the end of the file. */
export type ReadPart = (start: number, end: number) => Promise<Uint8Array>;

/** Returns a function that reads parts of a file over HTTP. */
export function httpFile(location: string | URL, onMissingRanges: MissingRanges): ReadPart {
  const takesWhole = onMissingRanges === "download";
  /** The whole file, after a server ignored the range. */
  let whole: Uint8Array | undefined;
  /** The first response, which shows whether the server supports ranges. */
  let first: Promise<unknown> | undefined;

  async function ask(start: number, end: number): Promise<Uint8Array> {
    const response = await fetch(location, { headers: { range: `bytes=${start}-${end - 1}` } });
    const { status } = response;
    const place = response.headers.get("content-range");
    // Another origin may hide the header. The length and the checksums are checked later in any case.
    const isPart = status === 206 && (place === null || place.startsWith(`bytes ${start}-`));
    if (isPart) return new Uint8Array(await response.arrayBuffer());
    if (status === 200 && takesWhole) {
      whole = new Uint8Array(await response.arrayBuffer());
      return whole.subarray(start, end);
    }
    await response.body?.cancel();
    if (status === 200) {
      const remedy = 'serve it with ranges, or pass onMissingRanges: "download"';
      throw new SnapseekError("documents/no-ranges", `the server sends ${location} only as a whole; ${remedy}`);
    }
    throw status === 206 || status === 416 ? foreign(`${location} answered ${status} ${place}`) : refusal(response);
  }

  return async (start, end) => {
    // Wait for the first response, so that the whole file is not downloaded several times.
    if (takesWhole && first) await first;
    if (whole) return whole.subarray(start, end);
    const answer = ask(start, end);
    first ??= answer.catch(() => (first = undefined));
    return answer;
  };
}

/** Makes the error for a file whose bytes do not belong to the snapshot. */
export function foreign(found: string): SnapseekError {
  return new SnapseekError("documents/foreign", `these are not the documents of the snapshot: ${found}; fetch or build both again`);
}
