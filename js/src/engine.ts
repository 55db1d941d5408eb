/// <reference lib="esnext.disposable" preserve="true" />
import { unlessAborted } from "./abort.js";
import { type Asked, askedOf, type HostInputs, joined, timed, withInfinities } from "./asked.js";
import type { Documents } from "./documents.js";
import { embedError, QueryEmbedder } from "./embedding.js";
import { fromRaw, isRaw, SnapseekError } from "./errors.js";
import type { Engine as RawEngine } from "./glue.js";
import { checkArguments, checkOptions, count, forms } from "./host-options.js";
import { MemoryRecipe } from "./memory.js";
import { optionsText, wellFormed } from "./plain.js";
import { Rag } from "./rag.js";
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

/** Rows as they cross from wasm: column by column. */
type Columns = [
  ranks: Float64Array,
  ids: string[],
  kinds: string[] | undefined,
  snippets: (string | null)[] | undefined,
  highlights: (string | null)[] | undefined,
];

/** What the module failed with. After a trap its memory may be anything, for every engine in it. */
let crash: Error | undefined;

/**
 * Calls into wasm, and gives its errors their class.
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
  throw new SnapseekError("engine/crashed", `${message}; load the page or process anew`, { cause: crash });
}

/**
 * Makes something in wasm that becomes an engine once everything is in it. It is freed where that fails.
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
 * What wasm gives of an engine that is only read.
 *
 * @internal
 */
export type RawSearcher = Omit<
  RawEngine,
  "add" | "remove" | "changes" | "apply" | "snapshot" | "splitSnapshot" | "compactedSnapshot" | "allChanges" | "rebase" | "call" | "writes"
>;

/** Records, open for searching; made by `open` of `snapseek/search`. Release it with {@link Searcher.free}. */
export class Searcher<R extends object = StoredRecord> implements Disposable {
  #raw: RawSearcher | undefined;
  readonly #documents: Documents | undefined;
  /** How many calls have asked for documents and are not done: what they fetched has to stay. */
  #waiting = 0;

  /**
   * What `open` was given to embed queries.
   *
   * @internal
   */
  readonly embedding: Embed | undefined;

  /** Makes and keeps the vectors of queries. */
  readonly #embedder = new QueryEmbedder();
  /** The name of the schema's first model; `null` where it has none, `undefined` where nobody has asked yet. */
  #firstModel: string | null | undefined;

  /** What could not be embedded when the engine was built. */
  readonly warnings: readonly string[];

  protected constructor(raw: object, embed: Embed | undefined, documents: object | undefined, warnings: readonly string[]) {
    this.#raw = raw as RawSearcher;
    this.embedding = embed;
    this.#documents = documents as Documents | undefined;
    this.warnings = warnings;
  }

  /** @internal */
  static of<R extends object>(raw: object, embed?: Embed, documents?: Documents, warnings: readonly string[] = []): Searcher<R> {
    return new this(raw, embed, documents, warnings);
  }

  /** @internal */
  protected call<T, Raw = RawSearcher>(work: (raw: Raw) => T): T {
    const raw = this.#raw;
    if (!raw) throw freed();
    return call(() => work(raw as Raw));
  }

  /** How many records there are. */
  get length(): number {
    return this.call((raw) => raw.length);
  }

  /** The schema, every default written out. */
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
   * Returns the best records for a query of plain words.
   *
   * Where an `embed` function was given, here or to `open`, it makes the vector of the query. If its vector is unusable, the
   * search uses keywords alone and the response is `degraded`; with `strict: true` or `mode: "vector"` that is an error.
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
    return JSON.parse(this.call((raw) => raw.search(text, made ?? vector, optionsText(host)))) as SearchResponse<R>;
  }

  /**
   * Embeds the text of a call, and says what came of it. Nothing is embedded where the caller passed a vector, where nothing
   * embeds, or where the snapshot has no vectors.
   *
   * @internal
   */
  async embedQuery({ options, embed, vector, signal }: Asked, text: unknown): Promise<HostInputs> {
    signal?.throwIfAborted();
    if (!embed || vector || typeof text !== "string" || !text.trim()) return {};
    const { model, strict } = Object(options) as { model?: unknown; strict?: unknown };
    this.#firstModel ??= Object.keys(this.schema().vectors ?? {})[0] ?? null;
    const named = typeof model === "string" ? model : this.#firstModel;
    if (named === null) return {};
    const width = this.call((raw) => raw.modelWidth(named));
    const { vector: made, failure } = await this.#embedder.vectorOf(wellFormed(text), named, embed, { width, signal });
    if (failure !== undefined && strict === true) throw embedError(failure);
    return { made, byEmbed: true, failures: failure === undefined ? undefined : [failure] };
  }

  /**
   * Does `work`, and fetches the stored documents that its calls of this engine need, where the snapshot has them in
   * other files. `work` is called again when they are there, so what it does before has to bear that.
   *
   * ```js
   * const rows = await engine.withDocuments(() => engine.match("fox", { highlight }));
   * const whole = await engine.withDocuments(() => engine.snapshot());
   * ```
   *
   * @param options.signal Stops the wait.
   */
  async withDocuments<T>(work: () => T, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Awaited<T>> {
    checkOptions(options, { signal: forms.signal });
    const { signal } = options;
    const asked = new Set<number>();
    this.#waiting++;
    try {
      for (;;) {
        signal?.throwIfAborted();
        try {
          return await work();
        } catch (error) {
          const blocks = error instanceof SnapseekError ? error.blocks : undefined;
          // Blocks that were just fetched are there; who misses them again would never have them.
          if (!blocks || !this.#documents || blocks.every((block) => asked.has(block))) throw error;
          blocks.forEach((block) => asked.add(block));
          await unlessAborted(this.#documents(blocks, (use) => this.call(use)), signal);
        }
      }
    } finally {
      if (--this.#waiting === 0 && !crash) this.#raw?.trim();
    }
  }

  /**
   * Searches like {@link Engine.search}, synchronously: with the vector that is given, or with the snapshot's own embedder.
   * Where stored documents are in other files and not in memory, it throws `documents/missing`.
   */
  searchSync(query: string, options?: Omit<SearchOptions, "embed" | "signal">): SearchResponse<R> {
    const began = performance.now();
    const response = this.#search(askedOf(joined({ query }, options), undefined));
    return { ...response, elapsed: performance.now() - began };
  }

  /**
   * The vector of a text, as the snapshot's own embedder makes it; `undefined` where it has none.
   *
   * @param model The model. Defaults to the schema's first.
   */
  embed(text: string, model?: string): Float32Array | undefined {
    checkArguments({ text, model }, { text: forms.string, model: forms.string }, ["text"]);
    return this.call((raw) => raw.embed(text, model));
  }

  /**
   * The most frequent words that start like the last word of `text`.
   *
   * @param limit How many at most. Defaults to 8.
   */
  suggest(text: string, limit = 8): Suggestion[] {
    checkArguments({ text, limit }, { text: forms.string, limit: count(0, MAX_SUGGESTIONS) }, ["text"]);
    const found = this.call((raw) => raw.suggest(text, limit)) as [string, number][];
    return found.map(([word, count]) => ({ word, count }));
  }

  /** The record with this id and kind; `undefined` where there is none. The kind defaults to `"document"`. */
  record(id: string | number, kind?: string): Readonly<R> | undefined {
    checkArguments({ id, kind }, { id: forms.id, kind: forms.string }, ["id"]);
    const text = this.call((raw) => raw.record(String(id), kind));
    return text ? (JSON.parse(text) as R) : undefined;
  }

  /**
   * Checks every byte, and throws where one is damaged.
   *
   * @param options.checksumsOnly Leaves it at the checksums, which is quicker. Defaults to `false`.
   */
  verify(options: { readonly checksumsOnly?: boolean } = {}): void {
    checkOptions(options, { checksumsOnly: forms.boolean });
    this.call((raw) => (options.checksumsOnly ? raw.verifyChecksums() : raw.verify()));
  }

  /** Releases the memory. Every later call throws `engine/freed`; freeing again does nothing. */
  free(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (!crash) raw?.free();
  }

  /** As {@link Searcher.free}, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  static {
    // Where a browser lacks the symbol, a method of that name would be called "undefined".
    Object.assign(this.prototype, { [Symbol.dispose ?? "free"]: this.prototype.free });
  }
}

/** Records, open for searching and writing; made by `open` or `build`. Release it with {@link Engine.free}. */
export class Engine<R extends object = StoredRecord> extends Searcher<R> {
  /** Chunks of longer texts. */
  readonly rag: Rag = new Rag(this);

  /** What an assistant remembers: the memory recipe's calls. */
  readonly memory: MemoryRecipe = new MemoryRecipe(this);

  /** Observations, sessions and prompts, asked in one way. */
  readonly unified: Unified<R> = new Unified(this);

  /** Entries of knowledge, ranked by seven signals. */
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
   * Asks a recipe synchronously.
   *
   * @internal
   */
  askSync<T>(name: string, options: unknown, { made, ...host }: HostInputs = {}): T {
    const text = optionsText(options);
    const response = JSON.parse(this.call((raw: RawEngine) => raw.call(name, text, made, optionsText(host)))) as T;
    return withInfinities(response, options);
  }

  /**
   * Asks a recipe, and waits for the stored documents that it needs. `text` is embedded where the call has an `embed`
   * function; the recipe learns where that failed, and goes on without a vector.
   *
   * @internal
   */
  ask<T>(name: string, options: unknown, text?: unknown, more?: object): Promise<T> {
    const asked = askedOf(options, this.embedding);
    return timed(async () => {
      const host = await this.embedQuery(asked, text);
      const inputs = { ...more, ...host, made: host.made ?? asked.vector };
      return this.withDocuments(() => this.askSync<T>(name, asked.options, inputs), { signal: asked.signal });
    });
  }

  /**
   * Adds records, all or none. One with the key of another replaces it.
   *
   * A record whose embedded text did not change keeps its vectors. `{ $: "vector", id, vector }` among the records gives a
   * record its vector, with a `model` where the schema has several.
   *
   * @param records Objects, or a text with one JSON object per line.
   */
  add(records: Iterable<RecordInput | Identified> | string): Written {
    return this.call((raw: RawEngine) => raw.add(listed(records))) as Written;
  }

  /**
   * Removes records by their keys. An id without a kind names the record of the snapshot's only kind, or of kind
   * `"document"` where there are several; an id that names nothing is a warning.
   */
  remove(keys: Iterable<RecordKey>): Removed {
    const all = Array.from(isList(keys) ? keys : [keys], (key) => (typeof key === "number" ? String(key) : key));
    return this.call((raw: RawEngine) => raw.remove(all)) as Removed;
  }

  /** Everything that was written since the snapshot, for {@link Engine.apply}. */
  changes(): Uint8Array<ArrayBuffer> {
    return this.call((raw: RawEngine) => raw.changes()) as Uint8Array<ArrayBuffer>;
  }

  /** Brings back what {@link Engine.changes} gave, on the same snapshot. All is applied, or nothing. */
  apply(changes: Uint8Array): void {
    this.call((raw: RawEngine) => raw.apply(changes));
  }

  /** All records as a new snapshot: the bytes that building from them gives. */
  snapshot(): Uint8Array<ArrayBuffer> {
    return this.call((raw: RawEngine) => raw.snapshot()) as Uint8Array<ArrayBuffer>;
  }

  /**
   * A snapshot that also holds when each record was written or removed, for the store.
   *
   * @internal
   */
  compactedSnapshot(): Uint8Array<ArrayBuffer> {
    return this.call((raw: RawEngine) => raw.compactedSnapshot()) as Uint8Array<ArrayBuffer>;
  }

  /**
   * As {@link Engine.changes}, with the writes that a compaction put into the opened snapshot; `undefined` when there are
   * none.
   *
   * @internal
   */
  allChanges(): Uint8Array<ArrayBuffer> | undefined {
    return this.call((raw: RawEngine) => raw.allChanges()) as Uint8Array<ArrayBuffer> | undefined;
  }

  /**
   * Moves this engine to another snapshot, and applies its own changes there. All is done, or nothing.
   *
   * @internal
   */
  rebase(snapshot: Uint8Array): void {
    this.call((raw: RawEngine) => raw.rebase(snapshot));
  }

  /**
   * All records as a new snapshot whose documents are in other files: what `snapseek build --split-docs` writes. Put them
   * beside the snapshot as `NAME.snap.docs`, or `NAME.snap.docs.0`, `.1` and so on where there are several.
   *
   * @param options.maxFileSize The most bytes that a file of documents may have. Defaults to no limit, and one file.
   */
  splitSnapshot(options: { readonly maxFileSize?: number } = {}): SplitSnapshot {
    checkOptions(options, { maxFileSize: count(1, 0xffffffff) });
    const split = this.call((raw: RawEngine) => raw.splitSnapshot(options.maxFileSize));
    const [snapshot, ...docs] = split as [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]];
    return { snapshot, docs };
  }
}

/**
 * What a call of an engine that is no more throws.
 *
 * @internal
 */
export function freed(): SnapseekError {
  return new SnapseekError("engine/freed", "this engine was freed; open the snapshot again");
}

/** @internal */
export function isList(value: unknown): value is Iterable<object> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/**
 * Records as wasm takes them.
 *
 * @internal
 */
export function listed(records: Iterable<object> | string): readonly object[] | string {
  return isList(records) ? Array.from(records, withPlainVectors) : records;
}

/** JSON writes a typed array as an object; as a plain array it is a vector. */
function withPlainVectors(record: object): object {
  const typed = Object.entries(Object(record)).filter(([, value]) => ArrayBuffer.isView(value) && "length" in value);
  if (typed.length === 0) return record;
  const plain = typed.map(([name, value]) => [name, Array.from(value as ArrayLike<number> & ArrayBufferView)]);
  return { ...record, ...Object.fromEntries(plain) };
}
