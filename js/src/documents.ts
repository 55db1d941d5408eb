import { call, type RawSearcher } from "./engine.js";
import { SnapseekError, unread } from "./errors.js";
import type { Environment, OpenOptions } from "./index.js";
import { isPlace } from "./place.js";
import { foreign, httpFile, type ReadPart } from "./ranges.js";
import type { Source } from "./source.js";

/** Where a file of documents is: a URL, in Node also a path; or the file itself. */
export type DocumentSource = string | URL | Blob;

/** How many ranges are asked for at the same time. */
const AT_ONCE = 6;

/**
 * What a snapshot needs that has its documents in other files; nothing where they are in it.
 *
 * @internal
 */
export async function documentsOf(
  raw: RawSearcher,
  source: Source | PromiseLike<Source>,
  { docs, docsCache, onMissingRanges = "error" }: OpenOptions,
  environment: Environment,
): Promise<Documents | undefined> {
  const count = raw.documentFiles;
  if (count === 0) return undefined;
  const { file } = environment;
  const reader = (place: DocumentSource): ReadPart => {
    if (isPlace(place)) return file?.(place) ?? httpFile(place, onMissingRanges);
    return async (start, end) => new Uint8Array(await place.slice(start, end).arrayBuffer());
  };
  try {
    const files = everyFile(docs ?? beside(await source, file), count, file).map(reader);
    if (docsCache !== undefined) call(() => raw.setDocumentCache(docsCache));
    return loading(files);
  } catch (error) {
    raw.free();
    throw error;
  }
}

/**
 * Fetches blocks and hands them to the engine; `use` calls into it.
 *
 * @internal
 */
export type Documents = (blocks: Uint32Array, use: Use) => Promise<void>;

type Use = <T>(work: (raw: RawSearcher) => T) => T;

/** What loads documents from their files. */
function loading(files: readonly ReadPart[]): Documents {
  /** Blocks that somebody fetches: nobody else has to. */
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
      throw new SnapseekError("documents/no-source", "the documents are in another file; name it, as open(source, { docs })");
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

/**
 * The address of the documents beside a snapshot; none where the snapshot has no address.
 *
 * @internal
 */
export function beside(source: Source, fileAt?: FileAt): Places {
  const place = isPlace(source) ? source : (source as Partial<Response>).url;
  return place ? extended(place, ".docs", fileAt) : [];
}

function everyFile(places: Places, count: number, fileAt: FileAt): readonly DocumentSource[] {
  if (isPlace(places) && count > 1) return Array.from({ length: count }, (_, file) => extended(places, `.${file}`, fileAt));
  const all = [places].flat() as readonly DocumentSource[];
  if (all.length === count || all.length === 0) return all;
  throw new SnapseekError("option/docs", `docs: ${count} files are wanted, and ${all.length} were given`);
}

/** An address with more at the end of its path, before what a URL has after it. */
function extended(place: string | URL, suffix: string, fileAt: FileAt): string {
  const isPath = typeof place === "string" && fileAt?.(place);
  return isPath ? place + suffix : String(place).replace(/(?=[?#])|$/, suffix);
}
