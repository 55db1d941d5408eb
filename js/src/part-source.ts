// Where the bytes of a snapshot come from, if it is read in pieces.

import { SnapseekError } from "./errors.js";
import type { PartLayout } from "./part-cache.js";
import type { SnapshotReader } from "./source.js";
import type { TransferCounts } from "./transfer.js";

/** How bytes are read. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Asks the server itself, not a cache in between. */
  readonly reload?: boolean | undefined;
}

/**
 * Reads ranges of a file.
 *
 * @internal
 */
export interface PartSource {
  /** Reads the bytes from `start` up to, but not including, `end`. */
  read(start: number, end: number, options: ReadOptions): Promise<Uint8Array>;
  /** Like `read`, at once. Sources that have to wait lack it. */
  readSync?(start: number, end: number): Uint8Array;
  /** The units that can be read, if they are not the parts with checksums. */
  readonly layout?: PartLayout;
  /** Releases the source. */
  close?(): void;
}

/** A file that can be read at once. */
export interface OpenFile {
  readonly size: number;
  readSync(start: number, end: number): Uint8Array;
  /** Reads a range of another file in the same folder. */
  beside(name: string, start: number, end: number): Uint8Array;
  close(): void;
}

/** Makes a source of something that can be read at once: an open file, or a buffer. */
export function sourceOfFile(file: Pick<OpenFile, "readSync"> & { close?(): void }, counts: TransferCounts): PartSource {
  const readSync = (start: number, end: number): Uint8Array => counted(file.readSync(start, end), start, end, counts);
  return { readSync, read: async (start, end) => readSync(start, end), close: () => file.close?.() };
}

/** Makes a source of a blob. */
export function sourceOfBlob(blob: Blob, counts: TransferCounts): PartSource {
  return {
    read: async (start, end) => counted(new Uint8Array(await blob.slice(start, end).arrayBuffer()), start, end, counts),
  };
}

/** Makes a source of the caller's own reader, whose first read has shown whether it answers at once. */
export function sourceOfReader(reader: SnapshotReader, isSync: boolean, counts: TransferCounts): PartSource {
  const readSync = (start: number, end: number): Uint8Array => {
    const bytes = reader.read(start, end - start);
    if ("then" in bytes) throw new SnapseekError("source/failed", "read(offset, length) returned bytes first, and now a promise");
    return counted(bytes, start, end, counts);
  };
  return {
    read: async (start, end) => counted(await reader.read(start, end - start), start, end, counts),
    ...(isSync && { readSync }),
  };
}

function counted(bytes: Uint8Array, start: number, end: number, counts: TransferCounts): Uint8Array {
  counts.requests++;
  counts.bytes += bytes.length;
  if (bytes.length === end - start) return bytes;
  throw new SnapseekError("source/failed", `the snapshot could not be read: ${bytes.length} bytes where ${end - start} should be`);
}
