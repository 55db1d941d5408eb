// Brings a snapshot into the module's memory: at once if its bytes are here, otherwise piece by piece as they arrive, or, as
// pieces.ts says, when calls need them.

import { unlessAborted } from "./abort.js";
import { call, filled, type PieceReader } from "./engine.js";
import { SnapseekError, refusal, unread } from "./errors.js";
import type { Environment } from "./index.js";
import type { OpenFile } from "./part-source.js";
import { isFolder, isPlace } from "./place.js";
import type { Load, TransferCounts } from "./transfer.js";

/**
 * The number of bytes that the first request asks for. The head of 3,633 abstracts (5.8 MB) takes 46 kB of them; a longer
 * head costs one more request. A connection of 20 Mbit/s takes 26 ms for 64 KiB.
 *
 * @internal
 */
export const FIRST = 64 << 10;

/**
 * The default memory budget for pieces of a snapshot, in bytes.
 *
 * @internal
 */
export const BUDGET = 32 << 20;

/** Storage of your own that holds a snapshot, such as R2, KV or a database. */
export interface SnapshotReader {
  /** Reads `length` bytes from `offset` on; fewer at the end of the snapshot. */
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
  /** The length of the snapshot in bytes. Defaults to the length in its header. */
  readonly size?: number;
}

/** A snapshot: its URL, its path (in Node), or its content. */
export type Source =
  | string
  | URL
  | Response
  | ArrayBuffer
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | SnapshotReader;

/** A value that a static model can be read from, which is always read whole. */
export type ModelSource = Exclude<Source, SnapshotReader>;

/** The progress of a download. */
export interface DownloadProgress {
  /** The number of bytes received. */
  readonly loaded: number;
  /** The number of all bytes; absent if it is not known. */
  readonly total?: number;
}

/** Bytes that arrive in pieces. */
export interface Pieces {
  /** The number of all bytes; `undefined` if it is not known. */
  readonly total: number | undefined;
  /** Returns the next piece, which stays valid until the next call; `undefined` after the last. */
  next(): Promise<Uint8Array | undefined>;
  /** Releases the source, also before its end. */
  stop(): Promise<void>;
}

/**
 * Opens the content at a URL or path. With a range, such as `bytes=0-99`, a URL gives a part, and a path an open file.
 *
 * @internal
 */
export type Read = (location: string | URL, signal?: AbortSignal, range?: string) => Promise<Response | Pieces | OpenFile>;

/** The part of the glue that opens snapshots. */
export interface RawOpener<Raw> {
  Engine: { open(bytes: Uint8Array): Raw; openInPieces(head: Uint8Array): Raw };
  Receiver: new (capacity: number) => { write(piece: Uint8Array): void; finish(): Raw; free(): void };
}

/** The options of `open` that this file handles. */
export interface Receiving {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly load?: Load | "auto" | undefined;
  readonly cache?: number | undefined;
}

/**
 * An engine of the module, and the reader of its pieces if it is not whole.
 *
 * @internal
 */
export interface Opened<Raw> {
  readonly raw: Raw;
  readonly pieces?: PieceReader;
}

/**
 * A snapshot whose head is here.
 *
 * @internal
 */
export interface Opening<Raw> {
  open(glue: RawOpener<Raw>): Opened<Raw>;
  stop(): Promise<void>;
}

/**
 * Opens a snapshot from any source. The download starts at once; its bytes are written when the module is `ready`.
 *
 * @internal
 */
export async function received<Raw>(
  source: Source | PromiseLike<Source>,
  environment: Pick<Environment, "read" | "file">,
  ready: Promise<RawOpener<Raw>>,
  options: Receiving,
  counts: TransferCounts,
): Promise<Opened<Raw>> {
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  const arriving = contentAt<Raw>(source, environment, options, counts).catch(unread("snapshot"));
  let isOpen = false;
  try {
    const [content, glue] = await unlessAborted(Promise.all([arriving, ready]), signal);
    if ("open" in content) {
      const opened = content.open(glue);
      isOpen = true;
      return opened;
    }
    if ("stop" in content) return { raw: await written(content, glue, options, counts) };
    onProgress?.({ loaded: content.length, total: content.length });
    return { raw: call(() => glue.Engine.open(content)) };
  } finally {
    if (!isOpen) arriving.then((content) => (content as Partial<Pieces>).stop?.()).catch(() => {});
  }
}

/** Writes pieces into the module's memory and opens the snapshot that they make. */
function written<Raw>(
  pieces: Pieces,
  glue: RawOpener<Raw>,
  { signal, onProgress }: Receiving,
  counts: TransferCounts,
): Promise<Raw> {
  const { total } = pieces;
  return filled(() => new glue.Receiver(Math.min(total ?? 0, 0xffffffff)), async (receiver) => {
    for (let loaded = 0; ; ) {
      const piece = await unlessAborted(pieces.next().catch(unread("snapshot")), signal);
      if (!piece) break;
      call(() => receiver.write(piece));
      loaded += piece.length;
      counts.bytes += piece.length;
      onProgress?.(total === undefined ? { loaded } : { loaded, total });
    }
  });
}

async function contentAt<Raw>(
  source: Source | PromiseLike<Source>,
  environment: Pick<Environment, "read" | "file">,
  options: Receiving,
  counts: TransferCounts,
): Promise<Uint8Array | Pieces | Opening<Raw>> {
  const given = await source;
  const { read } = environment;
  const { load = "auto", cache = BUDGET, signal } = options;
  const place = isPlace(given) ? given : undefined;
  const isOneFile = place !== undefined && !isFolder(place);
  const { size = 0, stream, read: isReader } = Object(given) as Partial<Blob & SnapshotReader>;
  const isWhole = isOneFile ? load === "whole" : !place && !isReader && (load === "whole" || (load === "auto" && !(stream && size > cache)));
  if (isOneFile) counts.requests++;
  if (isWhole) return contentOf(place ? ((await read(place, signal)) as Response) : (given as Blob));
  // The first bytes are on their way while the script is.
  const first = isOneFile ? read(place, signal, `bytes=0-${FIRST - 1}`) : undefined;
  first?.catch(() => {});
  const pieces = await import("./pieces.js").catch((error: unknown) => {
    // A service worker cannot import scripts later.
    if (!first || load === "ranges") throw error;
  });
  if (!pieces) return contentOf((await read(place!, signal)) as Response);
  return pieces.openingInPieces<Raw>(given, first, environment, { ...options, load, cache }, counts);
}

/** Returns the content of a source. It tests for methods, not classes, because a `Response` may come from another realm. */
export async function contentOf(source: Exclude<Source, string | URL | SnapshotReader> | Pieces): Promise<Uint8Array | Pieces> {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source === "object" && source !== null) {
    if ("byteLength" in source) return new Uint8Array(source);
    if ("stop" in source) return source;
    if ("getReader" in source) return piecesOf(source);
    if ("headers" in source) return contentOfResponse(source);
    if ("stream" in source) return piecesOf(source.stream(), source.size);
  }
  const accepted = "a URL, Response, ArrayBuffer, Uint8Array, Blob, ReadableStream or an object with read(offset, length)";
  throw new SnapseekError("source/unknown", `a snapshot cannot be read from this value; pass ${accepted}`);
}

async function contentOfResponse(response: Response): Promise<Uint8Array | Pieces> {
  if (!response.ok) throw refusal(response);
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const length = response.headers.get("content-length");
  // With a content encoding, the header gives the length of the encoded bytes.
  const isKnown = length !== null && !response.headers.has("content-encoding");
  return piecesOf(response.body, isKnown ? Number(length) : undefined);
}

function piecesOf(stream: ReadableStream<Uint8Array>, total?: number): Pieces {
  const reader = stream.getReader();
  return {
    total,
    next: async () => (await reader.read()).value,
    stop: () => reader.cancel(),
  };
}
