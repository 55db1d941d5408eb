// Makes the functions of the package for one environment.

import { unlessAborted } from "./abort.js";
import type { BuildProgress } from "./building.js";
import type { Documents, DocumentSource } from "./documents.js";
import { Engine, type EngineParts, type RawSearcher, Searcher } from "./engine.js";
import { SnapseekError } from "./errors.js";
import { checkOptions, count, forms, oneOf } from "./host-options.js";
import { loader, type Glue, type Wasm, type WasmSource } from "./load.js";
import type { MissingRanges, ReadPart } from "./ranges.js";
import type { raw as whole } from "./raw.js";
import type { MemorySettings } from "./memory.types.js";
import { received, type DownloadProgress, type RawOpener, type Read, type Source } from "./source.js";
import { type Load, TransferCounts } from "./transfer.js";
import type { Chunk, Embed, Identified, PresetName, RecordInput, Schema, StoredRecord } from "./types.js";

/**
 * The parts that differ between browsers, Node and other runtimes.
 *
 * @internal
 */
export interface Environment {
  /** Loads the package's own module: the places to try, in order. */
  readonly wasm: readonly (() => Promise<Wasm>)[];
  /** Loads the module at a URL or path that the caller names. */
  readonly wasmAt: (location: string | URL) => Promise<Wasm>;
  /** Reads the snapshot at a URL or path. */
  readonly read: Read;
  /** Returns a reader of the file at a path; `undefined` if the location is a URL to fetch. */
  readonly file?: (location: string | URL) => ReadPart | undefined;
}

/** The options of every call that loads the module. */
export interface LoadOptions {
  /**
   * The WebAssembly module: a URL, a `Response` or a promise of one, bytes, or a compiled module. The module is loaded once:
   * later calls ignore this option. Defaults to the package's own module.
   */
  readonly wasm?: WasmSource | PromiseLike<WasmSource>;
  /** Cancels the call: the promise rejects with `signal.reason`. */
  readonly signal?: AbortSignal;
}

/** The options of `open`. */
export interface OpenOptions extends LoadOptions {
  /** Embeds the queries of every search. Defaults to the snapshot's own embedder, if it has one. */
  readonly embed?: Embed;
  /** Settings of `engine.memory`. Defaults to those of the memory recipe. */
  readonly memory?: MemorySettings;
  /** Called after every piece of the snapshot with the number of bytes received; once if it is read by ranges. */
  readonly onProgress?: (progress: DownloadProgress) => void;
  /**
   * How to read the snapshot. `"whole"` reads all of it now. `"ranges"` reads its head now, and the pieces that calls need
   * later; synchronous calls then need {@link Engine.withDocuments}, unless the source is a path in Node or a buffer. `"auto"`
   * reads a URL by ranges if the server supports them and the file is larger than 256 KiB, a path or `Blob` if it is larger
   * than `cache`, and everything else whole. Defaults to `"auto"`.
   */
  readonly load?: Load | "auto";
  /** The number of bytes of pieces that stay in memory if the snapshot is read by ranges. Defaults to 32 MiB. */
  readonly cache?: number;
  /**
   * The documents of a snapshot that was built with `--split-docs`: one file, all files in order, or the address to which
   * `.0`, `.1` and so on are appended. Defaults to the snapshot's address plus `.docs`.
   */
  readonly docs?: DocumentSource | readonly DocumentSource[];
  /**
   * Handles a server that ignores range requests: `"error"` fails with `documents/no-ranges`, `"download"` takes the whole
   * file. Defaults to `"error"`.
   */
  readonly onMissingRanges?: MissingRanges;
  /** The size of the cache for documents in other files, in compressed bytes. Defaults to 8 MiB. */
  readonly docsCache?: number;
}

/** The options of `build`. */
export interface BuildOptions extends LoadOptions {
  /** Called after every batch with the number of records read. */
  readonly onProgress?: (progress: BuildProgress) => void;
  /**
   * Embeds the records for the schema's first model that has no embedder, and later the queries. A record whose vector is
   * unusable is stored without one, and `engine.warnings` says so.
   */
  readonly embed?: Embed;
  /** Fails with `embed/failed` if a vector from `embed` is unusable. Defaults to `false`. */
  readonly strict?: boolean;
}

/** The function `open`. */
export interface Open {
  /**
   * Opens a snapshot from a URL, a path (in Node), a `Response` or a promise of one, bytes, a `Blob`, a `ReadableStream`, or
   * storage of your own with `read(offset, length)`.
   *
   * @typeParam R The type of stored records. Nothing checks that they have it.
   */
  <R extends object = StoredRecord>(source: Source | PromiseLike<Source>, options?: OpenOptions): Promise<Engine<R>>;
}

/** The function `open` of `snapseek/search`. */
export interface OpenToSearch {
  /**
   * Opens a snapshot from a URL, a path (in Node), a `Response` or a promise of one, bytes, a `Blob`, a `ReadableStream`, or
   * storage of your own with `read(offset, length)`.
   *
   * @typeParam R The type of stored records. Nothing checks that they have it.
   */
  <R extends object = StoredRecord>(source: Source | PromiseLike<Source>, options?: OpenOptions): Promise<Searcher<R>>;
}

/** The function `build`. */
export interface Build {
  /**
   * Builds an engine from records: objects, or a text with one JSON object per line.
   *
   * Among the records, `{ $: "vector", id, vector }` gives a record its vector (add `model` if the schema has several
   * models), and `{ $: "delete", id }` removes a record.
   *
   * @param schema A schema or the name of a preset. By default it is inferred: strings become text fields, arrays of
   * strings keywords, numbers and booleans attributes, and ISO 8601 dates times.
   * @typeParam R The type of stored records.
   */
  <R extends object = StoredRecord>(
    records: Iterable<RecordInput | Identified> | string,
    schema?: Schema | PresetName,
    options?: BuildOptions,
  ): Promise<Engine<R>>;
}

/** The function `chunkText`. */
export interface ChunkText {
  /**
   * Cuts a text into chunks that overlap. A chunk ends at the best break in its last quarter: a heading, a blank line, the
   * end of a line, the end of a sentence, or a space.
   *
   * @param size The greatest number of characters (code points) per chunk, 1 to 6000. Defaults to 1200.
   * @param overlap The number of characters shared with the chunk before, 0 to 1000 and less than `size`. Defaults to 200.
   */
  (body: string, size?: number, overlap?: number): Promise<Chunk[]>;
}

/** The functions of the package in one environment, and the function that loads the module. */
export interface Package {
  readonly open: Open;
  readonly build: Build;
  readonly load: () => Promise<unknown>;
}

const LOAD_OPTIONS = { wasm: forms.anything, signal: forms.signal };
const OPEN_OPTIONS = {
  ...LOAD_OPTIONS,
  embed: forms.function,
  memory: forms.object,
  onProgress: forms.function,
  load: oneOf("auto", "whole", "ranges"),
  cache: count(0, Number.MAX_SAFE_INTEGER),
  docs: forms.anything,
  docsCache: count(0, Number.MAX_SAFE_INTEGER),
  onMissingRanges: oneOf("error", "download"),
};
const BUILD_OPTIONS = { ...LOAD_OPTIONS, embed: forms.function, strict: forms.boolean, onProgress: forms.function };

/**
 * Binds the package to an environment. The wasm module is loaded once, when it is first needed.
 *
 * @internal
 */
export function connect(raw: typeof whole, environment: Environment): Package {
  const load = loader(raw, environment.wasm, environment.wasmAt);
  return {
    async open<R extends object>(source: Source | PromiseLike<Source>, options: OpenOptions = {}) {
      checkOptions(options, OPEN_OPTIONS);
      const engine = (await opened(Engine, source, load(options.wasm), options, environment)) as Engine<R>;
      try {
        const { memory } = options;
        if (memory) await engine.withDocuments(() => engine.memory.configure(memory));
      } catch (error) {
        engine.free();
        throw ofOption("memory", error);
      }
      return engine;
    },
    async build<R extends object>(records: Iterable<object> | string, schema?: Schema | PresetName, options: BuildOptions = {}) {
      checkOptions(options, BUILD_OPTIONS);
      const [{ built }] = await unlessAborted(Promise.all([import("./on-demand.js"), load(options.wasm)]), options.signal);
      const { raw: made, warnings } = await built(raw.Build, records, schema, options, environment.read);
      return Engine.of(made, { embed: options.embed, warnings }) as Engine<R>;
    },
    load,
  };
}

/** Opens a snapshot, and makes an engine of the given class. */
async function opened<Raw extends RawSearcher, R extends object>(
  engine: { of(raw: object, parts: EngineParts): Searcher<R> },
  source: Source | PromiseLike<Source>,
  ready: Promise<RawOpener<Raw>>,
  options: OpenOptions,
  environment: Environment,
): Promise<Searcher<R>> {
  const counts = new TransferCounts();
  const { raw, pieces } = await received(source, environment, ready, options, counts);
  try {
    const documents = await documentsOf(raw, source, options, environment, counts);
    return engine.of(raw, { embed: options.embed, documents, pieces, counts });
  } catch (error) {
    pieces?.close();
    raw.free();
    throw error;
  }
}

/** Returns the loader of documents in other files; `undefined` if the snapshot itself holds its documents. */
async function documentsOf(
  raw: RawSearcher,
  source: Source | PromiseLike<Source>,
  options: OpenOptions,
  environment: Environment,
  counts: TransferCounts,
): Promise<Documents | undefined> {
  if (raw.documentFiles === 0) return undefined;
  const onDemand = await import("./on-demand.js");
  return onDemand.documentsOf(raw, source, options, environment, counts);
}

/** Turns a fault among the settings in an option into a fault of that option. */
function ofOption(name: string, error: unknown): unknown {
  if (!(error instanceof SnapseekError && error.code.startsWith("option/"))) return error;
  return new SnapseekError(`option/${name}`, `${name}: ${error.message}`);
}

/**
 * Like {@link connect}, for the search-only module.
 *
 * @internal
 */
export function connectToSearch(
  raw: RawOpener<RawSearcher> & Glue,
  environment: Environment,
): { readonly open: OpenToSearch } {
  const load = loader(raw, environment.wasm, environment.wasmAt);
  return {
    async open<R extends object>(source: Source | PromiseLike<Source>, options: OpenOptions = {}) {
      checkOptions(options, OPEN_OPTIONS);
      return (await opened(Searcher, source, load(options.wasm), options, environment)) as Searcher<R>;
    },
  };
}
