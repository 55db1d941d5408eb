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
    if (!isPart && !(status === 200 && takesWhole)) {
      await response.body?.cancel();
      throw refusal(status, place, location);
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (isPart) return bytes;
    whole = bytes;
    return bytes.subarray(start, end);
  }

  return {
    async read(start, end) {
      // Several whole downloads at once would be a waste: the first answer is waited for.
      if (takesWhole && first) await first;
      if (whole) return whole.subarray(start, end);
      const answer = ask(start, end);
      first ??= answer.catch(() => (first = undefined));
      return answer;
    },
  };
}

function refusal(status: number, place: string | null, location: string | URL): SnapseekError {
  switch (status) {
    case 200: {
      const remedy = 'serve it where ranges are supported, or pass onMissingRanges: "download"';
      return new SnapseekError("documents/no-ranges", `the server of ${location} gives whole files only; ${remedy}`);
    }
    case 206:
      return new SnapseekError("documents/foreign", `${location} gave the bytes ${place} when others were asked for`);
    case 416:
      return new SnapseekError("documents/foreign", `${location} is shorter than the snapshot says; fetch or build both again`);
    default:
      return new SnapseekError("source/failed", `the documents could not be fetched: ${location} answered ${status}`);
  }
}

/** A blob, or a file that a user chose. */
export function blobFile(blob: Blob): DocumentFile {
  return { read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()) };
}
