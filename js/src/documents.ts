import { call, type RawSearcher } from "./engine.js";
import { SnapseekError, reasonOf } from "./errors.js";
import type { Environment, OpenOptions } from "./index.js";
import { blobFile, httpFile, type DocumentFile } from "./ranges.js";
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
  const fileAt = (place: string | URL) => environment.file?.(place);
  const isPath = (place: string | URL) => fileAt(place) !== undefined;
  const opened = (place: DocumentSource): DocumentFile => {
    if (typeof place === "object" && "slice" in place) return blobFile(place);
    return fileAt(place) ?? httpFile(place, onMissingRanges);
  };
  try {
    const files = everyFile(docs ?? beside(await source, isPath), count, isPath).map(opened);
    if (docsCache !== undefined) call(() => raw.setDocumentCache(docsCache));
    return new Documents(files);
  } catch (error) {
    raw.free();
    throw error;
  }
}

/**
 * The documents of a snapshot that has them in other files.
 *
 * @internal
 */
export class Documents {
  readonly #files: readonly DocumentFile[];
  /** Blocks that somebody fetches: nobody else has to. */
  readonly #coming = new Map<number, Promise<void>>();

  constructor(files: readonly DocumentFile[]) {
    this.#files = files;
  }

  /** Fetches blocks and hands them to the engine; `use` calls into it. */
  async load(blocks: Uint32Array, use: <T>(work: (raw: RawSearcher) => T) => T): Promise<void> {
    if (this.#files.length === 0) {
      const message = "the documents of this snapshot are in another file; name it, as open(source, { docs })";
      throw new SnapseekError("documents/no-source", message);
    }
    const own = blocks.filter((block) => !this.#coming.has(block));
    if (own.length > 0) {
      const fetched = this.#fetch(own, use);
      own.forEach((block) => this.#coming.set(block, fetched));
    }
    try {
      await Promise.all(Array.from(blocks, (block) => this.#coming.get(block)));
    } finally {
      own.forEach((block) => this.#coming.delete(block));
    }
  }

  async #fetch(blocks: Uint32Array, use: <T>(work: (raw: RawSearcher) => T) => T): Promise<void> {
    const numbers = use((raw) => raw.ranges(blocks));
    let next = 0;
    const worker = async () => {
      while (next < numbers.length) {
        const [file, start, end] = numbers.subarray(next, (next += 3)) as unknown as [number, number, number];
        const bytes = await this.#read(file, start, end);
        use((raw) => raw.supply(file, start, bytes));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  async #read(file: number, start: number, end: number): Promise<Uint8Array> {
    let bytes: Uint8Array;
    try {
      bytes = await this.#files[file]!.read(start, end);
    } catch (cause) {
      if (cause instanceof SnapseekError) throw cause;
      throw new SnapseekError("source/failed", `the documents could not be read: ${reasonOf(cause)}`, { cause });
    }
    if (bytes.length === end - start) return bytes;
    const message = `the file of documents gave ${bytes.length} bytes where ${end - start} should be`;
    throw new SnapseekError("documents/foreign", `${message}; fetch or build both again`);
  }
}

type Places = DocumentSource | readonly DocumentSource[];

/**
 * The address of the documents beside a snapshot; none where the snapshot has no address.
 *
 * @internal
 */
export function beside(source: Source, isPath: (place: string | URL) => boolean = () => false): Places {
  const place = typeof source === "string" || source instanceof URL ? source : (source as Partial<Response>).url;
  return place ? extended(place, ".docs", isPath) : [];
}

function everyFile(places: Places, count: number, isPath: (place: string | URL) => boolean): readonly DocumentSource[] {
  const isBase = typeof places === "string" || places instanceof URL;
  if (isBase && count > 1) return Array.from({ length: count }, (_, file) => extended(places, `.${file}`, isPath));
  const all = [places].flat() as readonly DocumentSource[];
  if (all.length === count || all.length === 0) return all;
  throw new SnapseekError("option/docs", `docs: the documents are in ${count} files, and ${all.length} were given`);
}

/** An address with more at the end of its path, before what a URL has after it. */
function extended<T extends string | URL>(place: T, suffix: string, isPath: (place: string | URL) => boolean): string | URL {
  if (typeof place !== "string") {
    const url = new URL(place);
    url.pathname += suffix;
    return url;
  }
  return isPath(place) ? place + suffix : place.replace(/(?=[?#])|$/, suffix);
}
