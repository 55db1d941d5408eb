// How does a snapshot get into the module's memory? Whole, where its bytes are here; else piece by piece, as they come.

import { unlessAborted } from "./abort.js";
import { call, filled } from "./engine.js";
import { SnapseekError, refusal, unread } from "./errors.js";
import { isPlace } from "./place.js";

/** A snapshot, or where it is: a URL, in Node also a path. */
export type Source =
  | string
  | URL
  | Response
  | ArrayBuffer
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>;

/** How far a download is. */
export interface DownloadProgress {
  /** How many bytes have come. */
  readonly loaded: number;
  /** How many there will be; absent where that is not known. */
  readonly total?: number;
}

/** Bytes that come one after the other. */
export interface Pieces {
  /** How many bytes there will be, where that is known. */
  readonly total: number | undefined;
  /** The next piece, good until another is asked for; `undefined` after the last. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends it, whether it is at its end or not. */
  stop(): Promise<void>;
}

/** What is at a URL or path. */
export type Read = (location: string | URL, signal: AbortSignal | undefined) => Promise<Response | Pieces>;

/** What opens a snapshot in wasm. */
export interface RawOpener<Raw> {
  Engine: { open(bytes: Uint8Array): Raw };
  Receiver: new (capacity: number) => { write(piece: Uint8Array): void; finish(): Raw; free(): void };
}

/** How a snapshot is received. */
export interface Receiving {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** Opens a snapshot, wherever it is. Downloading begins at once, writing when the module is `ready`. */
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

/** Writes pieces into the module's memory and opens what they are. */
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

/** The content of a source. It is known by what it can do, since another realm's `Response` is not this one's. */
export async function contentOf(source: Exclude<Source, string | URL> | Pieces): Promise<Uint8Array | Pieces> {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source === "object" && source !== null) {
    if ("byteLength" in source) return new Uint8Array(source);
    if ("stop" in source) return source;
    if ("getReader" in source) return piecesOf(source);
    if ("headers" in source) return contentOfResponse(source);
    if ("stream" in source) return piecesOf(source.stream(), source.size);
  }
  const wanted = "a URL, Response, ArrayBuffer, Uint8Array, Blob or ReadableStream";
  throw new SnapseekError("source/unknown", `no snapshot comes from this; ${wanted} is wanted`);
}

async function contentOfResponse(response: Response): Promise<Uint8Array | Pieces> {
  if (!response.ok) throw refusal(response);
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const length = response.headers.get("content-length");
  // Where the content is encoded, its length is that of the encoded bytes.
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
