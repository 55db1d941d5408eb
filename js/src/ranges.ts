import { SnapseekError, refusal } from "./errors.js";

/** What to do where a server gives a whole file when a part is asked for. */
export type MissingRanges = "error" | "download";

/** Reads a part of a file: the bytes from `start` to before `end`; fewer where the file ends. */
export type ReadPart = (start: number, end: number) => Promise<Uint8Array>;

/** A file behind HTTP, by range requests. */
export function httpFile(location: string | URL, onMissingRanges: MissingRanges): ReadPart {
  const takesWhole = onMissingRanges === "download";
  /** The whole file, once a server gave it unasked. */
  let whole: Uint8Array | undefined;
  /** The first answer: it tells whether there are ranges. */
  let first: Promise<unknown> | undefined;

  async function ask(start: number, end: number): Promise<Uint8Array> {
    const response = await fetch(location, { headers: { range: `bytes=${start}-${end - 1}` } });
    const { status } = response;
    const place = response.headers.get("content-range");
    // Where another origin does not show the header, the length and the checksums have to do.
    const isPart = status === 206 && (place === null || place.startsWith(`bytes ${start}-`));
    if (isPart) return new Uint8Array(await response.arrayBuffer());
    if (status === 200 && takesWhole) {
      whole = new Uint8Array(await response.arrayBuffer());
      return whole.subarray(start, end);
    }
    await response.body?.cancel();
    if (status === 200) {
      const remedy = 'serve it with ranges, or pass onMissingRanges: "download"';
      throw new SnapseekError("documents/no-ranges", `${location} is only given whole; ${remedy}`);
    }
    throw status === 206 || status === 416 ? foreign(`${location} answered ${status} ${place}`) : refusal(response);
  }

  return async (start, end) => {
    // Several whole downloads at once would be a waste: the first answer is waited for.
    if (takesWhole && first) await first;
    if (whole) return whole.subarray(start, end);
    const answer = ask(start, end);
    first ??= answer.catch(() => (first = undefined));
    return answer;
  };
}

/** What is thrown where a file does not have the bytes that the snapshot says. */
export function foreign(found: string): SnapseekError {
  return new SnapseekError("documents/foreign", `these are not the documents of the snapshot: ${found}; fetch or build both again`);
}
