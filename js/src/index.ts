// The functions of the package, for one environment.

import { unlessAborted } from "./abort.js";
import { built, type BuildProgress } from "./building.js";
import { documentsOf, type DocumentSource } from "./documents.js";
import { Engine, Searcher, type RawSearcher } from "./engine.js";
import { checkOptions, count, forms, oneOf } from "./host-options.js";
import { loader, type Glue, type Wasm, type WasmSource } from "./load.js";
import type { MissingRanges, ReadPart } from "./ranges.js";
import type { raw as whole } from "./raw.js";
import type { MemorySettings } from "./memory.types.js";
import { received, type DownloadProgress, type RawOpener, type Read, type Source } from "./source.js";
import type { Chunk, Embed, Identified, PresetName, RecordInput, Schema, StoredRecord } from "./types.js";

/**
 * What differs between browsers, Node and the others.
 *
 * @internal
 */
export interface Environment {
  /** Where the package's own module may be, best first. */
  readonly wasm: readonly (() => Promise<Wasm>)[];
  /** The module at a URL or path that the caller names. */
  readonly wasmAt: (location: string | URL) => Promise<Wasm>;
  /** The snapshot at a URL or path. */
  readonly read: Read;
  /** What reads the file at a path; nothing where the location is a URL to fetch from. */
  readonly file?: (location: string | URL) => ReadPart | undefined;
}

/** How the module is loaded. */
export interface LoadOptions {
  /**
   * The WebAssembly module: a URL, a `Response` or a promise of one, bytes, or a compiled module. It is loaded once, so the
   * first call that needs it decides. Defaults to the package's own.
   */
  readonly wasm?: WasmSource | PromiseLike<WasmSource>;
  /** Ends the call: its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How a snapshot is opened. */
export interface OpenOptions extends LoadOptions {
  /** Embeds queries, for every `search`. Defaults to the snapshot's own embedder, where it has one. */
  readonly embed?: Embed;
  /** What holds for the calls of `engine.memory`. Defaults to the defaults of each call. */
  readonly memory?: MemorySettings;
  /** Is told how many bytes have come, after every piece. */
  readonly onProgress?: (progress: DownloadProgress) => void;
  /**
   * Where the documents of a snapshot are that was built with `--split-docs`. For several files: all of them, or the
   * address that `.0`, `.1` and so on are added to. Defaults to the snapshot's address and `.docs`.
   */
  readonly docs?: DocumentSource | readonly DocumentSource[];
  /**
   * What to do where a server answers a request for a part of a file with the whole file: refuse, or take the whole.
   * Defaults to `"error"`.
   */
  readonly onMissingRanges?: MissingRanges;
  /** How many bytes of documents in other files are kept in memory, packed. Defaults to 8 MiB. */
  readonly docsCache?: number;
}

/** How records are built. */
export interface BuildOptions extends LoadOptions {
  /** Is told how many records have been taken, after every batch. */
  readonly onProgress?: (progress: BuildProgress) => void;
  /**
   * Embeds the records for the schema's first model without an embedder of its own, and later the queries. Records whose
   * vector is unusable have none; `engine.warnings` says so.
   */
  readonly embed?: Embed;
  /** Makes it an error where `embed` makes an unusable vector. Defaults to `false`. */
  readonly strict?: boolean;
}

/** Opens a snapshot. */
export interface Open {
  /**
   * Opens a snapshot: a URL, in Node also a path, a `Response` or a promise of one, bytes, a `Blob` or a `ReadableStream`.
   *
   * @typeParam R What records are like. It is taken at its word: nothing is checked.
   */
  <R extends object = StoredRecord>(source: Source | PromiseLike<Source>, options?: OpenOptions): Promise<Engine<R>>;
}

/** Opens a snapshot for searching alone. */
export interface OpenToSearch {
  /**
   * Opens a snapshot: a URL, in Node also a path, a `Response` or a promise of one, bytes, a `Blob` or a `ReadableStream`.
   *
   * @typeParam R What records are like. It is taken at its word: nothing is checked.
   */
  <R extends object = StoredRecord>(source: Source | PromiseLike<Source>, options?: OpenOptions): Promise<Searcher<R>>;
}

/** Builds an engine. */
export interface Build {
  /**
   * Builds an engine from records: objects, or a text with one JSON object a line. Without a schema it is inferred: strings
   * are text, arrays of strings keywords, numbers and booleans attributes, ISO dates times. The name of a preset stands for
   * its schema. `{ $: "vector", id, vector }` among them, with a `model` where there are several, is the vector of a record,
   * and `{ $: "delete", id }` removes one.
   *
   * @typeParam R What records are like, once they are stored.
   */
  <R extends object = StoredRecord>(
    records: Iterable<RecordInput | Identified> | string,
    schema?: Schema | PresetName,
    options?: BuildOptions,
  ): Promise<Engine<R>>;
}

/** Cuts a text into chunks. */
export interface ChunkText {
  /**
   * Cuts a text into chunks of at most `size` characters (code points), each sharing `overlap` with the one before. A chunk
   * ends at the best break of its last quarter: a heading, a blank line, a line end, the end of a sentence, a space.
   *
   * The size is 1 to 6000 and defaults to 1200, the overlap 0 to 1000, less than the size, and defaults to 200.
   */
  (body: string, size?: number, overlap?: number): Promise<Chunk[]>;
}

/** What an environment gives: the functions of the package, and what loads the module for others. */
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
      const opened = await received(source, environment.read, load(options.wasm), options);
      const engine = Engine.of(opened, options.embed, await documentsOf(opened, source, options, environment)) as Engine<R>;
      if (options.memory) engine.memory.configure(options.memory);
      return engine;
    },
    async build<R extends object>(records: Iterable<object> | string, schema?: Schema | PresetName, options: BuildOptions = {}) {
      checkOptions(options, BUILD_OPTIONS);
      await unlessAborted(load(options.wasm), options.signal);
      const { raw: opened, warnings } = await built(raw.Build, records, schema, options);
      return Engine.of(opened, options.embed, undefined, warnings) as Engine<R>;
    },
    load,
  };
}

/**
 * As {@link connect}, where the module can only search.
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
      const opened = await received(source, environment.read, load(options.wasm), options);
      return Searcher.of<R>(opened, options.embed, await documentsOf(opened, source, options, environment));
    },
  };
}
