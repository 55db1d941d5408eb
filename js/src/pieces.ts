// Opens a snapshot of which only pieces are in memory, and brings the pieces that calls lack. The module names them, as
// src/engine/pieces.rs says.

import { call, freed, type PieceReader, type RawSearcher, type Use } from "./engine.js";
import { refusal, SnapseekError, unread } from "./errors.js";
import { folderAt } from "./folder-parts.js";
import { changed, flawOf, HttpParts, totalOf } from "./http-parts.js";
import type { Environment } from "./index.js";
import { evenParts, PartCache, type PartLayout } from "./part-cache.js";
import { type OpenFile, type PartSource, sourceOfBlob, sourceOfFile, sourceOfReader } from "./part-source.js";
import { isFolder, isPlace } from "./place.js";
import {
  BUDGET,
  contentOf,
  FIRST,
  type Opening,
  type Pieces,
  type RawOpener,
  type Read,
  type Receiving,
  type SnapshotReader,
  type Source,
} from "./source.js";
import type { TransferCounts } from "./transfer.js";

/** `load: "auto"` reads files up to this length whole: a few more bytes then cost less than further rounds of requests. */
const SMALL = 256 << 10;
/** The share of the memory budget for whole parts outside of the module, which neighbouring pieces need. */
const SHARE = 1 / 8;

/** The start of a file, and where the rest is. */
interface Start {
  readonly bytes: Uint8Array;
  readonly source: PartSource;
  /** The length of the file; `undefined` if the source does not tell. */
  readonly total: number | undefined;
}

/**
 * Reads the start of a snapshot, and decides whether to read the rest in pieces.
 *
 * @param first The response to a range request for the first bytes, or the open file, if the source is a URL or path.
 * @internal
 */
export async function openingInPieces<Raw>(
  given: Source,
  first: ReturnType<Read> | undefined,
  environment: Pick<Environment, "read" | "file">,
  options: Receiving,
  counts: TransferCounts,
): Promise<Opening<Raw> | Uint8Array | Pieces> {
  const { load, cache, signal } = options;
  // A server of another origin may forbid the header of range requests.
  const begun = load === "auto" ? await first?.catch(() => undefined) : await first;
  signal?.throwIfAborted();
  const file = begun && "readSync" in begun ? begun : undefined;
  try {
    // A file that fits the memory budget is read whole, because its pieces would stay in memory anyway.
    const isSmallFile = file && load === "auto" && file.size <= cache!;
    const start = isSmallFile ? undefined : await startAt(given, begun, environment, options, counts);
    if (start === "whole") return contentOf(begun as Response);
    if (start) return await opening(start, options, counts);
    file?.close();
  } catch (error) {
    file?.close();
    throw error;
  }
  if (!file) counts.requests++;
  return contentOf((await environment.read(given as string, signal)) as Response);
}

/** Returns the start of a file; `"whole"` if the response has all of it, and `undefined` if it has to be asked for whole. */
async function startAt(
  given: Source,
  begun: Response | Pieces | OpenFile | undefined,
  environment: Pick<Environment, "read" | "file">,
  options: Receiving,
  counts: TransferCounts,
): Promise<Start | "whole" | undefined> {
  const { signal } = options;
  if (!isPlace(given)) return startOfContent(given, counts);
  if (isFolder(given)) {
    const { source, total, head } = await folderAt(given, environment, counts, signal);
    return { source, total, bytes: await source.read(0, head, { signal }) };
  }
  if (!begun) return undefined;
  if ("readSync" in begun) return startOfFile(sourceOfFile(begun, counts), begun.size);
  return startOfResponse(given, begun as Response, options, counts);
}

/** Returns the start of a file on a server; `undefined` if the server's ranges cannot be used and the file must come whole. */
async function startOfResponse(
  location: string | URL,
  response: Response,
  { load, signal }: Receiving,
  counts: TransferCounts,
): Promise<Start | "whole" | undefined> {
  if (load === "auto" && response.status === 416) return undefined;
  if (load === "auto" && response.status === 200) return "whole";
  if (!response.ok) throw refusal(response);
  const flaw = response.status === 206 ? flawOf(response, 0, FIRST) : "the server sends the file only as a whole";
  if (flaw) {
    await response.body?.cancel();
    if (load !== "ranges") return undefined;
    throw new SnapseekError("snapshot/no-ranges", `${location} cannot be read in pieces: ${flaw}; use load: "whole"`);
  }
  const total = totalOf(response);
  const source = new HttpParts(location, response, counts);
  const bytes = new Uint8Array(await response.arrayBuffer().catch(() => new ArrayBuffer(0)));
  counts.bytes += bytes.length;
  const length = Math.min(total ?? FIRST, FIRST);
  // A connection may be lost in mid-part. Where the server hides the length, a shorter answer may be the whole file.
  const isLost = bytes.length === 0 || (total !== undefined && bytes.length !== length);
  return { bytes: isLost ? await source.read(0, length, { signal }) : bytes, source, total };
}

async function startOfFile(source: PartSource, total: number): Promise<Start> {
  return { source, total, bytes: await source.read(0, Math.min(total, FIRST), {}) };
}

/** Returns the start of a snapshot that is no place: a reader, a blob or a buffer. */
async function startOfContent(given: Exclude<Source, string | URL>, counts: TransferCounts): Promise<Start> {
  const holder = Object(given) as Partial<Blob & SnapshotReader>;
  if (holder.read) {
    const first = holder.read(0, Math.min(holder.size ?? FIRST, FIRST));
    const bytes = await first;
    counts.requests++;
    counts.bytes += bytes.length;
    return { bytes, source: sourceOfReader(holder as SnapshotReader, !("then" in first), counts), total: holder.size };
  }
  if (holder.stream) return startOfFile(sourceOfBlob(holder as Blob, counts), holder.size!);
  const content = await contentOf(given as Uint8Array);
  if ("stop" in content) {
    await content.stop();
    throw new SnapseekError("option/load", 'load: a Response or a stream cannot be read in pieces; pass its URL, or use "whole"');
  }
  const readSync = (start: number, end: number): Uint8Array => content.subarray(start, end);
  return startOfFile(sourceOfFile({ readSync }, counts), content.length);
}

/** Decides by the header whether to read the file in pieces, and reads the rest of its head, or of the file. */
async function opening<Raw>(
  { bytes, source, total }: Start,
  { load, cache = BUDGET, signal, onProgress }: Receiving,
  counts: TransferCounts,
): Promise<Opening<Raw> | Uint8Array> {
  const header = headerOf(bytes);
  // The module says what is wrong with it.
  if (!header) return bytes;
  if (total !== undefined && total !== header.length) {
    const message = `the snapshot has ${total} bytes, but its header says ${header.length}; download all of it again`;
    throw new SnapseekError("snapshot/wrong-length", message);
  }
  const upTo = async (length: number): Promise<Uint8Array> => {
    if (bytes.length >= length) return bytes;
    const all = new Uint8Array(length);
    all.set(bytes);
    all.set(await source.read(bytes.length, length, { signal }), bytes.length);
    return all;
  };
  const isSmall = load !== "ranges" && header.length <= SMALL;
  if (load === "whole" || isSmall || header.head === 0) {
    const all = await upTo(header.length);
    source.close?.();
    return all;
  }
  const head = await upTo(header.head);
  onProgress?.({ loaded: head.length, total: head.length });
  counts.load = "ranges";
  const open = (glue: RawOpener<Raw>) => {
    const raw = call(() => glue.Engine.openInPieces(head)) as Raw & RawSearcher;
    const [size, start, end] = call(() => raw.partLayout())! as unknown as [number, number, number];
    call(() => raw.setPieceBudget(Math.round(cache * (1 - SHARE))));
    return { raw, pieces: new FilePieces(source, source.layout ?? evenParts(size, start, end), cache * SHARE, head) };
  };
  return { open, stop: async () => source.close?.() };
}

/** Reads the lengths in a header, as docs/format.md describes it; `undefined` if the module would not read the file. */
function headerOf(bytes: Uint8Array): { readonly length: number; readonly head: number } | undefined {
  const isSnapshot = bytes.length >= 48 && String.fromCharCode(...bytes.subarray(0, 8)) === "snapsk\r\n";
  if (!isSnapshot) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const format = view.getUint32(8, true);
  const [length, head] = [Number(view.getBigUint64(16, true)), Number(view.getBigUint64(32, true))];
  return format === 1 || format === 2 ? { length, head: format === 1 ? 0 : head } : undefined;
}

/** Brings the pieces of one snapshot. */
class FilePieces implements PieceReader {
  readonly #source: PartSource;
  readonly #parts: PartCache;

  /** @param first The first bytes of the file. Parts that follow the head in them are kept. */
  constructor(source: PartSource, layout: PartLayout, budget: number, first: Uint8Array) {
    this.#source = source;
    this.#parts = new PartCache(source, layout, budget);
    if (!source.readSync && !source.layout) this.#parts.putFirst(first);
  }

  run<T>(raw: RawSearcher, work: () => T, supplied: (rounds: number) => void): T {
    let last = "";
    for (let rounds = 0; ; rounds++) {
      const writes = writesOf(raw);
      let result: T | undefined;
      let failure: unknown;
      try {
        result = work();
      } catch (error) {
        failure = error;
        if (!(error instanceof SnapseekError) || error.code === "engine/crashed") throw error;
      }
      const missing = call(() => raw.takeMissing());
      // A write that went through must not run twice; a reading call that lacked pieces has only part of its answer.
      const isDone = missing.length === 0 || (!failure && writesOf(raw) !== writes);
      const isStuck = String(missing) === last;
      last = String(missing);
      if (isDone || isStuck || !this.#source.readSync) {
        if (rounds > 0) supplied(rounds);
        if (isDone && !failure) return result as T;
        throw (isDone || isStuck) && failure ? failure : notLoaded(missing);
      }
      this.#supplySync(raw, missing);
    }
  }

  #supplySync(raw: RawSearcher, missing: Float64Array): void {
    for (const [start, end, from, until] of quadruples(missing)) {
      const bytes = this.#source.readSync!(from, until);
      call(() => raw.supplyPiece(start, end, from, bytes));
    }
  }

  async fetch(missing: Float64Array, use: Use, signal?: AbortSignal): Promise<void> {
    const all = quadruples(missing);
    const ranges = all.map(([, , from, until]) => [from, until] as const);
    const bytes = await this.#parts.fetch(ranges, signal).catch(unlessAbortedBy(signal));
    const refused = all.filter((piece) => !isSupplied(piece, bytes, use));
    if (refused.length > 0) await this.#fetchAgain(refused, use, signal);
    this.#parts.trim();
  }

  /** Fetches parts whose checksums do not match once more, because a cache on the way may mix two versions of a file. */
  async #fetchAgain(refused: readonly Quadruple[], use: Use, signal?: AbortSignal): Promise<void> {
    const ranges = refused.map(([, , from, until]) => [from, until] as const);
    const bytes = await this.#parts.fetch(ranges, signal, true).catch(unlessAbortedBy(signal));
    if (!refused.every((piece) => isSupplied(piece, bytes, use))) throw changed("a part does not match its checksum");
  }

  close(): void {
    this.#parts.close(freed());
  }
}

/** Returns the number of writes so far. The search-only module lacks that call, and writes nothing. */
function writesOf(raw: object): number {
  try {
    return (raw as { writes: number }).writes;
  } catch {
    return 0;
  }
}

type Quadruple = readonly [start: number, end: number, from: number, until: number];

function quadruples(numbers: Float64Array): Quadruple[] {
  return Array.from({ length: numbers.length / 4 }, (_, place) => [...numbers.subarray(4 * place, 4 * place + 4)] as unknown as Quadruple);
}

/** Hands a piece to the module. Returns whether its parts match their checksums. */
function isSupplied([start, end, from, until]: Quadruple, bytes: (start: number, end: number) => Uint8Array, use: Use): boolean {
  try {
    use((raw) => raw.supplyPiece(start, end, from, bytes(from, until)));
    return true;
  } catch (error) {
    if (error instanceof SnapseekError && error.code === "snapshot/changed") return false;
    throw error;
  }
}

/** Makes a handler that passes on the reason of an abort, and turns other errors into `source/failed`. */
const unlessAbortedBy = (signal: AbortSignal | undefined) => (error: unknown): never => {
  signal?.throwIfAborted();
  return unread("snapshot")(error);
};

function notLoaded(pieces: Float64Array): SnapseekError {
  const message = "a piece of the snapshot that this call needs is not in memory";
  const remedy = "use search(), or await engine.withDocuments(() => engine.match(…))";
  return new SnapseekError("snapshot/not-loaded", `${message}; ${remedy}, or open with load: "whole"`, { pieces });
}
