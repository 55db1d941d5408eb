// Brings a snapshot into the module's memory: at once if its bytes are here, otherwise piece by piece as they arrive.

import { unlessAborted } from "./abort.js";
import { call, filled } from "./engine.js";
import { SnapseekError, refusal, unread } from "./errors.js";
import { isPlace } from "./place.js";

/** A snapshot: its URL, its path (in Node), or its content. */
export type Source =
  | string
  | URL
  | Response
  | ArrayBuffer
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>;

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

/** Opens the content at a URL or path. */
export type Read = (location: string | URL, signal: AbortSignal | undefined) => Promise<Response | Pieces>;

/** The part of the glue that opens snapshots. */
export interface RawOpener<Raw> {
  Engine: { open(bytes: Uint8Array): Raw };
  Receiver: new (capacity: number) => { write(piece: Uint8Array): void; finish(): Raw; free(): void };
}

/** The options of `open` that this file handles. */
export interface Receiving {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** Opens a snapshot from any source. The download starts at once; its bytes are written when the module is `ready`. */
export async function received<Raw>(
  source: Source | PromiseLike<Source>,
  read: Read,
  ready: Promise<RawOpener<Raw>>,
  { signal, onProgress }: Receiving,
): Promise<Raw> {
  signal?.throwIfAborted();
  const arriving = contentAt(source, read, signal).catch(unread("snapshot"));
  try {
    const [content, glue] = await unlessAborted(Promise.all([arriving, ready]), signal);
    if ("stop" in content) return await written(content, glue, { signal, onProgress });
    onProgress?.({ loaded: content.length, total: content.length });
    return call(() => glue.Engine.open(content));
  } finally {
    arriving.then((content) => (content as Partial<Pieces>).stop?.()).catch(() => {});
  }
}

/** Writes pieces into the module's memory and opens the snapshot that they make. */
function written<Raw>(pieces: Pieces, glue: RawOpener<Raw>, { signal, onProgress }: Receiving): Promise<Raw> {
  const { total } = pieces;
  return filled(() => new glue.Receiver(Math.min(total ?? 0, 0xffffffff)), async (receiver) => {
    for (let loaded = 0; ; ) {
      const piece = await unlessAborted(pieces.next().catch(unread("snapshot")), signal);
      if (!piece) break;
      call(() => receiver.write(piece));
      loaded += piece.length;
      onProgress?.(total === undefined ? { loaded } : { loaded, total });
    }
  });
}

async function contentAt(
  source: Source | PromiseLike<Source>,
  read: Read,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | Pieces> {
  const given = await source;
  return contentOf(isPlace(given) ? await read(given, signal) : given);
}

/** Returns the content of a source. It tests for methods, not classes, because a `Response` may come from another realm. */
export async function contentOf(source: Exclude<Source, string | URL> | Pieces): Promise<Uint8Array | Pieces> {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source === "object" && source !== null) {
    if ("byteLength" in source) return new Uint8Array(source);
    if ("stop" in source) return source;
    if ("getReader" in source) return piecesOf(source);
    if ("headers" in source) return contentOfResponse(source);
    if ("stream" in source) return piecesOf(source.stream(), source.size);
  }
  const accepted = "a URL, Response, ArrayBuffer, Uint8Array, Blob or ReadableStream";
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
