/// <reference lib="esnext.disposable" preserve="true" />
import { unlessAborted } from "./abort.js";
import type { Documents } from "./documents.js";
import { vectorOf } from "./embedding.js";
import { SnapseekError, fromRaw, isRaw } from "./errors.js";
import type { Engine as RawEngine } from "./glue.js";
import { MemoryRecipe } from "./memory.js";
import { Rag } from "./rag.js";
import type {
  Embed,
  Identified,
  MatchOptions,
  MatchRow,
  RecordInput,
  RecordKey,
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

/** Rows as they cross from wasm: column by column. */
type Columns = [
  ranks: Float64Array,
  ids: string[],
  kinds: string[] | undefined,
  snippets: (string | null)[] | undefined,
  highlights: (string | null)[] | undefined,
];

/** What the options of all recipes' searches have, as far as this side is concerned. */
export interface RecipeOptions {
  readonly embed?: Embed | undefined;
  readonly vector?: ArrayLike<number> | undefined;
}

/** A vector as wasm takes it: it copies numbers, and asks no more of what holds them. */
type Numbers = Float32Array | undefined;

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
export type RawSearcher = Omit<RawEngine, "add" | "remove" | "changes" | "apply" | "snapshot" | "splitSnapshot" | "call">;

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

  protected constructor(raw: object, embed: Embed | undefined, documents: object | undefined) {
    this.#raw = raw as RawSearcher;
    this.embedding = embed;
    this.#documents = documents as Documents | undefined;
  }

  /** @internal */
  static of<R extends object>(raw: object, embed?: Embed, documents?: Documents): Searcher<R> {
    return new this(raw, embed, documents);
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

  /** The rows that match an FTS5 expression, in FTS5's order: by rank, then in row order. */
  match(expression: string, options?: MatchOptions): MatchRow[] {
    const [ranks, ids, kinds, snippets, highlights] = this.call((raw) => raw.match(expression, options)) as Columns;
    return ids.map((id, i) => ({
      id,
      kind: kinds?.[i] ?? "document",
      rank: ranks[i]!,
      ...(snippets && { snippet: snippets[i]! }),
      ...(highlights && { highlight: highlights[i]! }),
    }));
  }

  /**
   * The best records for a query of plain words.
   *
   * Where an `embed` function was given, here or to `open`, it is asked for the query's vector. If it fails, words alone
   * are looked for and the response says so; with `mode: "vector"` that is an error.
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResponse<R>> {
    if (!isObject(options)) return this.searchSync(query, options);
    const { embed = this.embedding, signal, ...rest } = options;
    signal?.throwIfAborted();
    const isPlain = rest.vector || rest.mode === "keyword";
    const { vector, failure } = await vectorOf(query, isPlain ? undefined : embed, signal);
    if (failure && rest.mode === "vector") throw failure;
    const asked = { ...rest, ...(vector && { vector }), ...(failure && { mode: "keyword" as const }) };
    const response = await this.withDocuments(() => this.searchSync(query, asked), { signal });
    if (!failure) return response;
    return { ...response, degraded: true, warnings: [failure.message, ...(response.warnings ?? [])] };
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
  async withDocuments<T>(work: () => T, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Awaited<T>> {
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
   * As {@link Engine.search}, at once: with the vector that is given, or the snapshot's own embedder. Where stored
   * documents are in other files and not at hand, it throws `documents/missing`.
   */
  searchSync(query: string, options: Omit<SearchOptions, "embed" | "signal"> = {}): SearchResponse<R> {
    // What is no object is an error, and wasm says which.
    const sent = isObject(options) ? { now: Date.now(), ...options, vector: undefined } : options;
    return JSON.parse(this.call((raw) => raw.search(query, sent, options?.vector as Numbers))) as SearchResponse<R>;
  }

  /**
   * The vector of a text, as the snapshot's own embedder makes it; `undefined` where it has none.
   *
   * @param model The model. Defaults to the schema's first.
   */
  embed(text: string, model?: string): Float32Array | undefined {
    return this.call((raw) => raw.embed(text, model));
  }

  /**
   * The most frequent words that start like the last word of `text`.
   *
   * @param limit How many at most. Defaults to 8.
   */
  suggest(text: string, limit = 8): Suggestion[] {
    const found = this.call((raw) => raw.suggest(text, limit)) as [string, number][];
    return found.map(([word, count]) => ({ word, count }));
  }

  /** The record with this id and kind; `undefined` where there is none. The kind defaults to `"document"`. */
  record(id: string | number, kind?: string): Readonly<R> | undefined {
    const text = this.call((raw) => raw.record(String(id), kind));
    return text ? (JSON.parse(text) as R) : undefined;
  }

  /**
   * Checks every byte, and throws where one is damaged.
   *
   * @param options.checksumsOnly Leaves it at the checksums, which is quicker. Defaults to `false`.
   */
  verify(options: { readonly checksumsOnly?: boolean } = {}): void {
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
   * Asks a recipe, at once.
   *
   * @internal
   */
  ask<T>(name: string, options: object = {}, vector?: ArrayLike<number>): T {
    return JSON.parse(this.call((raw: RawEngine) => raw.call(name, { now: Date.now(), ...options }, vector as Numbers))) as T;
  }

  /**
   * Asks a recipe about a query, and waits for the documents that it needs. Where there is an `embed` function, it makes the
   * query's vector; if it fails, the recipe is told, and goes without. An empty query needs none.
   *
   * @internal
   */
  async askAbout<T>(name: string, query: string, options: RecipeOptions): Promise<T> {
    const { embed = this.embedding, vector: given, ...rest } = options;
    const { vector = given, failure } = await vectorOf(query, given || !query.trim() ? undefined : embed);
    const asked = { ...rest, embedFailed: failure?.message };
    return this.withDocuments(() => this.ask<T>(name, asked, vector));
  }

  /**
   * Adds records, all or none. One with the key of another replaces it.
   *
   * @param records Objects, or a text with one JSON object a line.
   */
  add(records: Iterable<RecordInput | Identified> | string): Written {
    const [added, replaced] = this.call((raw: RawEngine) => raw.add(listed(records)));
    return { added: added!, replaced: replaced! };
  }

  /** Removes records by their keys, and says how many there were. Keys that are not there are passed over. */
  remove(keys: Iterable<RecordKey>): number {
    const all = Array.from(keys, (key) => (typeof key === "number" ? String(key) : key));
    return this.call((raw: RawEngine) => raw.remove(all));
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
   * All records as a new snapshot whose documents are in other files: what `snapseek build --split-docs` writes. Put them
   * beside the snapshot as `NAME.snap.docs`, or `NAME.snap.docs.0`, `.1` and so on where there are several.
   *
   * @param options.maxFileSize The most bytes that a file of documents may have. Defaults to no limit, and one file.
   */
  splitSnapshot(options: { readonly maxFileSize?: number } = {}): SplitSnapshot {
    const split = this.call((raw: RawEngine) => raw.splitSnapshot(options.maxFileSize));
    const [snapshot, ...docs] = split as [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]];
    return { snapshot, docs };
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
