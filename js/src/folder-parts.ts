// Reads a snapshot that `snapseek build --parts` wrote as a folder: parts named by their hashes, and a file that lists them.

import { reasonOf, SnapseekError } from "./errors.js";
import { changed, lastingRefusal, retried, withCache } from "./http-parts.js";
import type { Environment } from "./index.js";
import type { PartLayout } from "./part-cache.js";
import { type OpenFile, type PartSource, type ReadOptions, sourceOfFile } from "./part-source.js";
import type { TransferCounts } from "./transfer.js";

/** The content of the file `snapseek.json`, which `cli/src/parts.rs` writes. */
interface Entry {
  /** The version of the file. */
  readonly snapseek: number;
  /** The length of the snapshot in bytes. */
  readonly length: number;
  /** The hash and the length of each part, in order. The first is the head of the snapshot. */
  readonly parts: readonly (readonly [hash: string, length: number])[];
}

/** A folder of parts: where they are, and the length of the snapshot. */
export interface Folder {
  readonly source: PartSource;
  readonly total: number;
  /** The length of the first part. */
  readonly head: number;
}

/** Opens a folder of parts at a URL or path. */
export async function folderAt(
  place: string | URL,
  { read, file }: Pick<Environment, "read" | "file">,
  counts: TransferCounts,
  signal: AbortSignal | undefined,
): Promise<Folder> {
  const isLocal = file?.(place) !== undefined;
  const [, base = "", query = ""] = (isLocal ? /^(.*\/|)/ : /^([^?#]*\/|)[^?#]*(\?[^#]*)?/).exec(String(place)) ?? [];
  const location = `${base}${ENTRY}${query}`;
  if (isLocal) {
    const list = (await read(location, signal, "bytes=0-")) as OpenFile;
    list.close();
    const { parts, length } = entryOf(location, new TextDecoder().decode(list.beside(ENTRY, 0, list.size)));
    return { source: sourceOfFile(localParts(list, new Spans(parts)), counts), total: length, head: parts[0]![1] };
  }
  const { parts, length } = await remoteEntry(location, counts, signal);
  const addressOf = (hash: string): string => `${base}${hash}.part${query}`;
  return { source: new FolderParts(addressOf, parts, counts), total: length, head: parts[0]![1] };
}

const ENTRY = "snapseek.json";

async function remoteEntry(location: string, counts: TransferCounts, signal: AbortSignal | undefined): Promise<Entry> {
  return retried(location, signal, async () => {
    counts.requests++;
    // The parts never change, but the list of them does.
    const response = await fetch(location, { signal: signal ?? null, ...withCache("no-cache") });
    if (!response.ok) throw lastingRefusal(response);
    const text = await response.text();
    counts.bytes += text.length;
    return entryOf(location, text);
  });
}

function entryOf(location: string, text: string): Entry {
  let entry: Entry | undefined;
  try {
    entry = JSON.parse(text) as Entry;
  } catch (cause) {
    throw new SnapseekError("snapshot/not-a-snapshot", `${location} does not list the parts of a snapshot: ${reasonOf(cause)}`, { cause });
  }
  if (entry?.snapseek === 1) return entry;
  const isLater = Number(entry?.snapseek) > 1;
  if (isLater) throw new SnapseekError("snapshot/unsupported-version", `${location} was written by a later version; update snapseek`);
  throw new SnapseekError("snapshot/not-a-snapshot", `${location} does not list the parts of a snapshot`);
}

/** The parts of a snapshot as ranges of it. */
class Spans implements PartLayout {
  readonly hashes: readonly string[];
  /** The offset of each part, and the length of the snapshot. */
  readonly #offsets: number[] = [0];
  readonly start = 0;
  /** Every part is a file, so requests are never joined. */
  readonly gap = -1;

  constructor(parts: Entry["parts"]) {
    this.hashes = parts.map(([hash]) => hash);
    for (const [, length] of parts) this.#offsets.push(this.end + length);
  }

  get end(): number {
    return this.#offsets.at(-1)!;
  }

  offsetOf(part: number): number {
    return this.#offsets[part] ?? this.end;
  }

  partAt(offset: number): number {
    let [low, high] = [0, this.hashes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#offsets[middle + 1]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns a range of the snapshot as ranges of its parts. */
  within(start: number, end: number): { hash: string; from: number; until: number }[] {
    const found = [];
    for (let part = this.partAt(start); this.offsetOf(part) < end && part < this.hashes.length; part++) {
      const offset = this.offsetOf(part);
      const until = Math.min(end, this.offsetOf(part + 1)) - offset;
      found.push({ hash: this.hashes[part]!, from: Math.max(start - offset, 0), until });
    }
    return found;
  }
}

/** Reads parts that are files of this machine. */
function localParts(list: OpenFile, spans: Spans): Pick<OpenFile, "readSync"> {
  const readPart = ({ hash, from, until }: { hash: string; from: number; until: number }): Uint8Array => {
    try {
      return list.beside(`${hash}.part`, from, until);
    } catch (cause) {
      throw changed(`the part ${hash} cannot be read`, cause);
    }
  };
  return { readSync: (start, end) => concatenated(spans.within(start, end).map(readPart)) };
}

/** Reads parts that are files on a server. */
class FolderParts implements PartSource {
  readonly layout: Spans;
  readonly #addressOf: (hash: string) => string;
  readonly #counts: TransferCounts;

  constructor(addressOf: (hash: string) => string, parts: Entry["parts"], counts: TransferCounts) {
    this.layout = new Spans(parts);
    this.#addressOf = addressOf;
    this.#counts = counts;
  }

  async read(start: number, end: number, options: ReadOptions): Promise<Uint8Array> {
    const reads = this.layout.within(start, end).map(async ({ hash, from, until }) => {
      return (await this.#part(hash, options)).subarray(from, until);
    });
    return concatenated(await Promise.all(reads));
  }

  #part(hash: string, { signal, reload }: ReadOptions): Promise<Uint8Array> {
    const location = this.#addressOf(hash);
    return retried(location, signal, async () => {
      this.#counts.requests++;
      const response = await fetch(location, { signal: signal ?? null, ...(reload && withCache("reload")) });
      if (!response.ok) {
        await response.body?.cancel();
        // A part that is gone belongs to an older build.
        throw response.status === 404 || response.status === 410 ? changed(`${location} is gone`) : lastingRefusal(response);
      }
      const bytes = new Uint8Array(await response.arrayBuffer());
      this.#counts.bytes += bytes.length;
      const part = this.layout.hashes.indexOf(hash);
      const length = this.layout.offsetOf(part + 1) - this.layout.offsetOf(part);
      if (bytes.length !== length) throw new Error(`${bytes.length} bytes arrived where ${length} were asked for`);
      return bytes;
    });
  }
}

function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const piece of pieces) {
    bytes.set(piece, filled);
    filled += piece.length;
  }
  return bytes;
}
