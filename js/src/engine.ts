/// <reference lib="esnext.disposable" preserve="true" />
import { unlessAborted } from "./abort.js";
import { type Asked, askedOf, type HostInputs, hostText, isList, joined, timed, timedSync, withInfinities } from "./asked.js";
import type { Documents } from "./documents.js";
import type { QueryEmbedder } from "./embedding.js";
import { fromRaw, isRaw, SnapseekError } from "./errors.js";
import type { Engine as RawEngine } from "./glue.js";
import { checkArguments, checkOptions, count, forms } from "./host-options.js";
import { MemoryRecipe } from "./memory.js";
import { optionsText } from "./plain.js";
import { Rag } from "./rag.js";
import { type Transfer, TransferCounts } from "./transfer.js";
import type {
  Embed,
  Identified,
  MatchOptions,
  MatchRow,
  RecordInput,
  RecordKey,
  Removed,
  Schema,
  SearchOptions,
  SearchResponse,
  SplitSnapshot,
  StoredRecord,
  Suggestion,
  Written,
} from "./types.js";
import { Unified } from "./unified.js";
import { Vault } from "./vault.js";

/** `suggest` returns at most this many words. */
const MAX_SUGGESTIONS = 1000;

/** Rows as the module returns them: one array per column. */
type Columns = [
  ranks: Float64Array,
  ids: string[],
  kinds: string[] | undefined,
  snippets: (string | null)[] | undefined,
  highlights: (string | null)[] | undefined,
];

/** The trap of the module. After a trap the memory of every engine in the module is undefined. */
let crash: Error | undefined;

/**
 * Calls the module, and turns its errors into `SnapseekError`.
 *
 * @internal
 */
export function call<T>(work: () => T): T {
  try {
    if (!crash) return work();
  } catch (thrown) {
    if (isRaw(thrown)) throw fromRaw(thrown);
    if (!(thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError)) throw thrown;
    crash = thrown;
  }
  const message = `the WebAssembly module failed: out of memory, or a bug in snapseek (${crash.message})`;
  throw new SnapseekError("engine/crashed", `${message}; reload the page or restart the process`, { cause: crash });
}

/**
 * Waits for one turn of the event loop, so that timers and messages are handled.
 *
 * @internal
 */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/**
 * Makes an object in the module, fills it, and finishes it to an engine. Frees the object if filling fails.
 *
 * @internal
 */
export async function filled<Raw, T extends { finish(): Raw; free(): void }>(
  begin: () => T,
  fill: (unfinished: T) => Promise<void>,
): Promise<Raw> {
  const unfinished = call(begin);
  try {
    await fill(unfinished);
  } catch (error) {
    unfinished.free();
    throw error;
  }
  // This takes ownership, whether it succeeds or not: nothing is left to free.
  return call(() => unfinished.finish());
}

/**
 * The calls of the module that read an engine.
 *
 * @internal
 */
export type RawSearcher = Omit<
  RawEngine,
  "add" | "remove" | "changes" | "apply" | "snapshot" | "splitSnapshot" | "compactedSnapshot" | "allChanges" | "rebase" | "call" | "writes"
>;

/**
 * Calls the module.
 *
 * @internal
 */
export type Use = <T>(work: (raw: RawSearcher) => T) => T;

/**
 * Brings the pieces of a snapshot that is not in memory as a whole; pieces.ts makes it.
 *
 * @internal
 */
export interface PieceReader {
  /**
   * Runs a call of the module. If the call lacks pieces, it brings them and repeats the call, or throws
   * `snapshot/not-loaded` if the source has to wait for them.
   *
   * @param supplied Learns in how many rounds pieces came.
   */
  run<T>(raw: RawSearcher, work: () => T, supplied: (rounds: number) => void): T;
  /** Brings the pieces that `snapshot/not-loaded` names. */
  fetch(pieces: Float64Array, use: Use, signal?: AbortSignal): Promise<void>;
  /** Releases the source of the pieces. */
  close(): void;
}

/**
 * The parts of an engine besides the module's object.
 *
 * @internal
 */
export interface EngineParts {
  readonly embed?: Embed | undefined;
  readonly documents?: Documents | undefined;
  readonly pieces?: PieceReader | undefined;
  readonly counts?: TransferCounts | undefined;
  readonly warnings?: readonly string[];
}

/** A snapshot, open for searching. `open` of `snapseek/search` returns it; {@link Searcher.free} releases its memory. */
export class Searcher<R extends object = StoredRecord> implements Disposable {
  #raw: RawSearcher | undefined;
  readonly #documents: Documents | undefined;
  readonly #pieces: PieceReader | undefined;
  readonly #counts: TransferCounts;
  /** The number of running calls that wait for documents or pieces, which stay in memory until it is 0. */
  #waiting = 0;

  /**
   * The `embed` function that `open` or `build` was given.
   *
   * @internal
   */
  readonly embedding: Embed | undefined;

  /** Embeds queries, and caches their vectors; `undefined` until a call has an `embed` function. */
  #embedder: QueryEmbedder | undefined;

  /** Sentences about records that `build` could not embed. Often empty. */
  readonly warnings: readonly string[];

  protected constructor(raw: object, parts: object) {
    const { embed, documents, pieces, counts = new TransferCounts(), warnings = [] } = parts as EngineParts;
    this.#raw = raw as RawSearcher;
    this.embedding = embed;
    this.#documents = documents;
    this.#pieces = pieces;
    this.#counts = counts;
    this.warnings = warnings;
  }

  /** @internal */
  static of<R extends object>(raw: object, parts: EngineParts): Searcher<R> {
    return new this(raw, parts);
  }

  /** @internal */
  protected call<T, Raw = RawSearcher>(work: (raw: Raw) => T): T {
    const raw = this.#raw;
    if (!raw) throw freed();
    const run = (): T => call(() => work(raw as Raw));
    return this.#pieces ? this.#pieces.run(raw, run, this.#supplied) : run();
  }

  /** Notes how many rounds of reads a call needed, and drops what exceeds the memory budget. */
  readonly #supplied = (rounds: number): void => {
    this.#counts.rounds = rounds;
    if (this.#waiting === 0 && !crash) this.#raw?.trim();
  };

  /** How the snapshot is read, and how much has been read so far. */
  get transfer(): Transfer {
    return { ...this.#counts, inMemory: this.call((raw) => raw.bytesInMemory) };
  }

  /** The number of records. */
  get length(): number {
    return this.call((raw) => raw.length);
  }

  /** Returns the schema with all defaults written out. */
  schema(): Schema {
    return JSON.parse(this.call((raw) => raw.schema())) as Schema;
  }

  /** Returns the rows that match an FTS5 expression, in FTS5's order: by rank, then in row order. */
  match(expression: string, options?: MatchOptions): MatchRow[] {
    const text = optionsText(joined({ expression }, options));
    const [ranks, ids, kinds, snippets, highlights] = this.call((raw) => raw.match(text)) as Columns;
    return ids.map((id, i) => ({
      id,
      kind: kinds?.[i] ?? "document",
      rank: ranks[i]!,
      ...(snippets && { snippet: snippets[i]! }),
      ...(highlights && { highlight: highlights[i]! }),
    }));
  }

  /**
   * Finds the best records for a query of plain words.
   *
   * The `embed` function of this call, or else of `open` or `build`, makes the vector of the query. If the vector is
   * unusable, the search uses keywords alone and the response is `degraded`; with `strict: true` or `mode: "vector"` the
   * call fails with `embed/failed`.
   */
  async search(query: string, options?: SearchOptions): Promise<SearchResponse<R>> {
    const asked = askedOf(joined({ query }, options), this.embedding);
    return timed(async () => {
      const { mode } = asked.options as SearchOptions;
      const host = await this.embedQuery(asked, mode === "keyword" ? undefined : query);
      return this.withDocuments(() => this.#search(asked, host), { signal: asked.signal });
    });
  }

  #search({ options, vector }: Asked, { made, ...host }: HostInputs = {}): SearchResponse<R> {
    const text = optionsText(options);
    return JSON.parse(this.call((raw) => raw.search(text, made ?? vector, hostText(host)))) as SearchResponse<R>;
  }

  /**
   * Embeds the text of a call with its `embed` function, and returns the vector or the reason why there is none. Embeds
   * nothing if the caller passed a vector, if there is no `embed` function, or if the snapshot has no vectors.
   *
   * @internal
   */
  async embedQuery(asked: Asked, text: unknown): Promise<HostInputs> {
    asked.signal?.throwIfAborted();
    if (!asked.embed || asked.vector || typeof text !== "string" || !text.trim()) return {};
    const { QueryEmbedder } = await import("./on-demand.js");
    return this.withDocuments(() => {
      this.#embedder ??= new QueryEmbedder(this.schema(), (model) => this.call((raw) => raw.modelWidth(model)));
      return this.#embedder.inputs(asked, text);
    }, { signal: asked.signal });
  }

  /**
   * Runs `work`, and fetches what its calls lack: pieces of a snapshot that was opened with `load: "ranges"`, and documents
   * that the snapshot keeps in other files. After each fetch `work` runs again from the start, so it must be safe to repeat.
   *
   * ```js
   * const rows = await engine.withDocuments(() => engine.match("fox", { highlight }));
   * const whole = await engine.withDocuments(() => engine.snapshot());
   * ```
   *
   * @param options.signal Cancels the wait: the promise rejects with `signal.reason`. Requests that no other call waits for
   * are aborted.
   */
  async withDocuments<T>(work: () => T, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Awaited<T>> {
    checkOptions(options, { signal: forms.signal });
    const { signal } = options;
    let rounds = 0;
    let last: string | undefined;
    this.#waiting++;
    try {
      for (;;) {
        signal?.throwIfAborted();
        try {
          return await work();
        } catch (error) {
          const { blocks, pieces } = error instanceof SnapseekError ? error : {};
          const lacking = String(pieces ?? blocks);
          // Fetched pieces stay in memory during the call, so a call that lacks the same again would loop for ever.
          if (lacking === last) throw error;
          const fetched = pieces ? this.#pieces?.fetch(pieces, this.#use, signal) : blocks && this.#documents?.(blocks, this.#use);
          if (!fetched) throw error;
          last = lacking;
          rounds++;
          await unlessAborted(fetched, signal);
        }
      }
    } finally {
      if (rounds > 0) this.#counts.rounds = rounds;
      if (--this.#waiting === 0 && !crash) this.#raw?.trim();
    }
  }

  readonly #use: Use = (work) => this.call(work);

  /**
   * Searches like {@link Engine.search}, but synchronously. It takes the query's vector from the option `vector` or from the
   * snapshot's own embedder. It throws `snapshot/not-loaded` or `documents/missing` if it needs pieces of the snapshot, or
   * documents of other files, that are not in memory.
   */
  searchSync(query: string, options?: Omit<SearchOptions, "embed" | "signal">): SearchResponse<R> {
    return timedSync(() => this.#search(askedOf(joined({ query }, options), undefined)));
  }

  /**
   * Embeds a text with the snapshot's own embedder; returns `undefined` if it has none.
   *
   * @param model The model. Defaults to the schema's first.
   */
  embed(text: string, model?: string): Float32Array | undefined {
    checkArguments({ text, model }, { text: forms.string, model: forms.string }, ["text"]);
    return this.call((raw) => raw.embed(text, model));
  }

  /**
   * Returns the most frequent words that start with the last word of `text`.
   *
   * @param limit The greatest number of words, 0 to 1,000. Defaults to 8.
   */
  suggest(text: string, limit = 8): Suggestion[] {
    checkArguments({ text, limit }, { text: forms.string, limit: count(0, MAX_SUGGESTIONS) }, ["text"]);
    const found = this.call((raw) => raw.suggest(text, limit)) as [string, number][];
    return found.map(([word, count]) => ({ word, count }));
  }

  /** Returns the record with this id and kind, or `undefined`. The kind defaults to `"document"`. */
  record(id: string | number, kind?: string): Readonly<R> | undefined {
    checkArguments({ id, kind }, { id: forms.id, kind: forms.string }, ["id"]);
    const text = this.call((raw) => raw.record(String(id), kind));
    return text ? (JSON.parse(text) as R) : undefined;
  }

  /**
   * Checks the whole snapshot, and throws if it is damaged.
   *
   * @param options.checksumsOnly Checks only the checksums, which is faster. Defaults to `false`.
   */
  verify(options: { readonly checksumsOnly?: boolean } = {}): void {
    checkOptions(options, { checksumsOnly: forms.boolean });
    this.call((raw) => raw.verify(options.checksumsOnly ?? false));
  }

  /** Releases the memory. Every later call throws `engine/freed`, except `free`, which does nothing. */
  free(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    this.#pieces?.close();
    if (!crash) raw?.free();
  }

  /** Same as {@link Searcher.free}, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  static {
    // In browsers without the symbol, a method with that computed name would be called "undefined".
    Object.assign(this.prototype, { [Symbol.dispose ?? "free"]: this.prototype.free });
  }
}

/** Records, open for searching and writing. `open` and `build` return it; {@link Engine.free} releases its memory. */
export class Engine<R extends object = StoredRecord> extends Searcher<R> {
  /** The RAG recipe: indexes and searches chunks of longer texts. */
  readonly rag: Rag = new Rag(this);

  /** The memory recipe: the memories of an assistant. */
  readonly memory: MemoryRecipe = new MemoryRecipe(this);

  /** The unified recipe: one search over observations, sessions and prompts. */
  readonly unified: Unified<R> = new Unified(this);

  /** The vault recipe: entries of knowledge, ranked by seven signals. */
  readonly vault: Vault<R> = new Vault(this);

  /**
   * The number of writes since the engine was opened. An answer from before the last write is stale.
   *
   * @internal
   */
  get writes(): number {
    return this.call((raw: RawEngine) => raw.writes);
  }

  /**
   * Calls a recipe synchronously.
   *
   * @internal
   */
  askSync<T>(name: string, options: unknown, { made, ...host }: HostInputs = {}): T {
    const text = optionsText(options);
    const response = JSON.parse(this.call((raw: RawEngine) => raw.call(name, text, made, hostText(host)))) as T;
    return withInfinities(response, options);
  }

  /**
   * Calls a recipe, and fetches the documents that it needs. `text` is embedded if there is an `embed` function; if that
   * fails, the recipe learns the reason and continues without a vector.
   *
   * @internal
   */
  ask<T>(name: string, options: unknown, text?: unknown): Promise<T> {
    const asked = askedOf(options, this.embedding);
    return timed(async () => {
      const host = await this.embedQuery(asked, text);
      const inputs = { ...host, made: host.made ?? asked.vector };
      return this.withDocuments(() => this.askSync<T>(name, asked.options, inputs), { signal: asked.signal });
    });
  }

  /**
   * Adds records, or none of them if one is faulty. A record replaces the record with the same id and kind.
   *
   * A record whose embedded text did not change keeps its vectors. Among the records, `{ $: "vector", id, vector }` gives a
   * record its vector; add `model` if the schema has several models.
   *
   * @param records Objects, or a text with one JSON object per line.
   */
  add(records: Iterable<RecordInput | Identified> | string): Written {
    const all = listed(records);
    return this.call((raw: RawEngine) => raw.add(all)) as Written;
  }

  /**
   * Removes records by their keys. An id without a kind means the snapshot's only kind, or `"document"` if there are several
   * kinds. A key that names no record is a warning in the result.
   */
  remove(keys: Iterable<RecordKey>): Removed {
    const all = Array.from(isList(keys) ? keys : [keys], (key) => (typeof key === "number" ? String(key) : key));
    return this.call((raw: RawEngine) => raw.remove(all)) as Removed;
  }

  /** Returns everything written since the snapshot was opened, as bytes for {@link Engine.apply}. */
  changes(): Uint8Array<ArrayBuffer> {
    return this.call((raw: RawEngine) => raw.changes()) as Uint8Array<ArrayBuffer>;
  }

  /** Applies the bytes of {@link Engine.changes} to an engine of the same snapshot. If it fails, it changes nothing. */
  apply(changes: Uint8Array): void {
    this.call((raw: RawEngine) => raw.apply(changes));
  }

  /** Returns all records as a new snapshot, byte for byte the one that `build` makes of them. */
  snapshot(): Uint8Array<ArrayBuffer> {
    return this.call((raw: RawEngine) => raw.snapshot()) as Uint8Array<ArrayBuffer>;
  }

  /**
   * Returns a snapshot that also holds the time of each write and removal, for the store.
   *
   * @internal
   */
  compactedSnapshot(): Uint8Array<ArrayBuffer> {
    return this.call((raw: RawEngine) => raw.compactedSnapshot()) as Uint8Array<ArrayBuffer>;
  }

  /**
   * Returns the bytes of {@link Engine.changes} together with the writes that a compaction put into the opened snapshot;
   * `undefined` if there are none.
   *
   * @internal
   */
  allChanges(): Uint8Array<ArrayBuffer> | undefined {
    return this.call((raw: RawEngine) => raw.allChanges()) as Uint8Array<ArrayBuffer> | undefined;
  }

  /**
   * Moves this engine to another snapshot and applies its own changes there. If it fails, it changes nothing.
   *
   * @internal
   */
  rebase(snapshot: Uint8Array): void {
    this.call((raw: RawEngine) => raw.rebase(snapshot));
  }

  /**
   * Returns all records as a new snapshot with its documents in other files, as `snapseek build --split-docs` writes them.
   * Store one file as `NAME.snap.docs` beside the snapshot, several as `NAME.snap.docs.0`, `.1` and so on.
   *
   * @param options.maxFileSize The greatest size of a file of documents, in bytes. Defaults to no limit and one file.
   */
  splitSnapshot(options: { readonly maxFileSize?: number } = {}): SplitSnapshot {
    checkOptions(options, { maxFileSize: count(1, 0xffffffff) });
    const split = this.call((raw: RawEngine) => raw.splitSnapshot(options.maxFileSize));
    const [snapshot, ...docs] = split as [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]];
    return { snapshot, docs };
  }
}

/**
 * Makes the error for a call of a freed engine.
 *
 * @internal
 */
export function freed(): SnapseekError {
  return new SnapseekError("engine/freed", "this engine was freed; open the snapshot again");
}

/**
 * Turns records into the form that the module takes: an array or a text.
 *
 * @internal
 */
export function listed(records: Iterable<object> | string): readonly object[] | string {
  return isList(records) ? Array.from(records, withPlainVectors) : records;
}

/** Turns typed arrays into plain arrays, because JSON would write them as objects. */
function withPlainVectors(record: object): object {
  const typed = Object.entries(Object(record)).filter(([, value]) => ArrayBuffer.isView(value) && "length" in value);
  if (typed.length === 0) return record;
  const plain = typed.map(([name, value]) => [name, Array.from(value as ArrayLike<number> & ArrayBufferView)]);
  return { ...record, ...Object.fromEntries(plain) };
}
