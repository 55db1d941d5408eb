// Fetches stored documents that are in other files than the snapshot, block by block, when a call needs them.

import { call, type RawSearcher, type Use } from "./engine.js";
import { SnapseekError, unread } from "./errors.js";
import type { Environment, OpenOptions } from "./index.js";
import { beside, extended, isPlace } from "./place.js";
import { foreign, httpFile, type ReadPart } from "./ranges.js";
import type { Source } from "./source.js";
import type { TransferCounts } from "./transfer.js";

/** A file of documents: its URL, its path (in Node), or the file itself. */
export type DocumentSource = string | URL | Blob;

/** The number of range requests at the same time. */
const AT_ONCE = 6;

/**
 * Returns the loader of a snapshot's documents.
 *
 * @internal
 */
export async function documentsOf(
  raw: RawSearcher,
  source: Source | PromiseLike<Source>,
  { docs, docsCache, onMissingRanges = "error" }: OpenOptions,
  environment: Environment,
  counts: TransferCounts,
): Promise<Documents> {
  const { file } = environment;
  const reader = (place: DocumentSource): ReadPart => {
    const read = isPlace(place)
      ? (file?.(place) ?? httpFile(place, onMissingRanges))
      : async (start: number, end: number) => new Uint8Array(await place.slice(start, end).arrayBuffer());
    return async (start, end) => {
      counts.requests++;
      const bytes = await read(start, end);
      counts.bytes += bytes.length;
      return bytes;
    };
  };
  const files = everyFile(docs ?? beside(await source, file), raw.documentFiles, file).map(reader);
  if (docsCache !== undefined) call(() => raw.setDocumentCache(docsCache));
  return loading(files);
}

/**
 * Fetches blocks and passes them to the engine, which `use` calls.
 *
 * @internal
 */
export type Documents = (blocks: Uint32Array, use: Use) => Promise<void>;

/** Makes a loader that reads blocks from files. */
function loading(files: readonly ReadPart[]): Documents {
  /** Blocks that are being fetched, so that no other call fetches them again. */
  const coming = new Map<number, Promise<void>>();

  async function fetchAll(blocks: Uint32Array, use: Use): Promise<void> {
    const numbers = use((raw) => raw.ranges(blocks));
    let next = 0;
    const worker = async () => {
      while (next < numbers.length) {
        const [file, start, end] = numbers.subarray(next, (next += 3)) as unknown as [number, number, number];
        const bytes = await files[file]!(start, end).catch(unread("documents"));
        if (bytes.length !== end - start) throw foreign(`${bytes.length} bytes where ${end - start} should be`);
        use((raw) => raw.supply(file, start, bytes));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  return async (blocks, use) => {
    if (files.length === 0) {
      throw new SnapseekError("documents/no-source", "the documents are in another file; name it with open(source, { docs })");
    }
    const own = blocks.filter((block) => !coming.has(block));
    if (own.length > 0) {
      const fetched = fetchAll(own, use);
      own.forEach((block) => coming.set(block, fetched));
    }
    try {
      await Promise.all(Array.from(blocks, (block) => coming.get(block)));
    } finally {
      own.forEach((block) => coming.delete(block));
    }
  };
}

type Places = DocumentSource | readonly DocumentSource[];
type FileAt = Environment["file"];

function everyFile(places: Places, count: number, fileAt: FileAt): readonly DocumentSource[] {
  if (isPlace(places) && count > 1) return Array.from({ length: count }, (_, file) => extended(places, `.${file}`, fileAt));
  const all = [places].flat() as readonly DocumentSource[];
  if (all.length === count || all.length === 0) return all;
  throw new SnapseekError("option/docs", `docs: the snapshot has ${count} files of documents, and ${all.length} were given`);
}
