import { SnapseekError } from "./errors.js";

/** What to do where a server gives a whole file when a part is asked for. */
export type MissingRanges = "error" | "download";

/** A file, read in parts. */
export interface DocumentFile {
  /** The bytes from `start` to before `end`; fewer where the file ends. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** A file behind HTTP, by range requests. */
export function httpFile(location: string | URL, onMissingRanges: MissingRanges): DocumentFile {
  /** The whole file, once a server gave it unasked. */
  let whole: Promise<Uint8Array> | undefined;
  /** The first answer: it tells whether there are ranges. */
  let first: Promise<unknown> | undefined;

  async function ask(start: number, end: number): Promise<Uint8Array> {
    const response = await fetch(location, { headers: { range: `bytes=${start}-${end - 1}` } });
    if (response.status === 206) {
      const place = response.headers.get("content-range");
      // Where another origin does not show the header, the length and the checksums have to do.
      if (place === null || place.startsWith(`bytes ${start}-`)) return new Uint8Array(await response.arrayBuffer());
      await response.body?.cancel();
      throw new SnapseekError("documents/foreign", `${location} gave the bytes ${place} when others were asked for`);
    }
    if (response.status === 200 && onMissingRanges === "download") {
      whole ??= response.arrayBuffer().then((buffer) => new Uint8Array(buffer));
      return (await whole).subarray(start, end);
    }
    await response.body?.cancel();
    throw refusal(response, location);
  }

  return {
    async read(start, end) {
      // Several whole downloads at once would be a waste: the first answer is waited for.
      if (onMissingRanges === "download") {
        if (!first) {
          const answer = ask(start, end);
          first = answer.catch(() => (first = undefined));
          return answer;
        }
        await first;
        if (whole) return (await whole).subarray(start, end);
      }
      return ask(start, end);
    },
  };
}

function refusal(response: Response, location: string | URL): SnapseekError {
  if (response.status === 200) {
    const remedy = 'serve it where ranges are supported, or pass onMissingRanges: "download"';
    return new SnapseekError("documents/no-ranges", `the server of ${location} gives whole files only; ${remedy}`);
  }
  if (response.status === 416) {
    const message = `${location} is shorter than the snapshot says; fetch or build both again`;
    return new SnapseekError("documents/foreign", message);
  }
  const message = `the documents could not be fetched: ${location} answered ${response.status}`;
  return new SnapseekError("source/failed", message);
}

/** A blob, or a file that a user chose. */
export function blobFile(blob: Blob): DocumentFile {
  return { read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()) };
}
