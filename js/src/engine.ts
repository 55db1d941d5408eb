/// <reference lib="esnext.disposable" preserve="true" />
import { unlessAborted } from "./abort.js";
import type { Documents } from "./documents.js";
import { SnapseekError, fromRaw, isRaw, reasonOf } from "./errors.js";
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

/** After a trap the module's memory may be anything, for every engine in it. */
let hasCrashed = false;

/**
 * Calls into wasm, and gives its errors their class.
 *
 * @internal
 */
export function call<T>(work: () => T): T {
  if (hasCrashed) {
    throw new SnapseekError("engine/crashed", "the WebAssembly module failed before; load the page or process anew");
  }
  try {
    return work();
  } catch (thrown) {
    if (isRaw(thrown)) throw fromRaw(thrown);
    if (!(thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError)) throw thrown;
    hasCrashed = true;
    const message = `the WebAssembly module failed: out of memory, or a bug in snapseek (${thrown.message})`;
    throw new SnapseekError("engine/crashed", message, { cause: thrown });
  }
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
  readonly #embed: Embed | undefined;
  readonly #documents: Documents | undefined;
  /** How many calls have asked for documents and are not done: what they fetched has to stay. */
  #waiting = 0;

  protected constructor(raw: object, embed: Embed | undefined, documents: object | undefined) {
    this.#raw = raw as RawSearcher;
    this.#embed = embed;
    this.#documents = documents as Documents | undefined;
  }

  /** @internal */
  static of<R extends object>(raw: RawSearcher, embed?: Embed, documents?: Documents): Searcher<R> {
    return new Searcher(raw, embed, documents);
  }

  #call<T>(work: (raw: RawSearcher) => T): T {
    const raw = this.#raw;
    if (!raw) throw new SnapseekError("engine/freed", "this engine was freed; open the snapshot again");
    return call(() => work(raw));
  }

  /** @internal */
  protected call<T>(work: (raw: RawSearcher) => T): T {
    return this.#call(work);
  }

  /**
   * What `open` was given to embed queries.
   *
   * @internal
   */
  get embedding(): Embed | undefined {
    return this.#embed;
  }

  /** How many records there are. */
  get length(): number {
    return this.#call((raw) => raw.length);
  }

  /** The schema, every default written out. */
  schema(): Schema {
    return JSON.parse(this.#call((raw) => raw.schema())) as Schema;
  }

  /** The rows that match an FTS5 expression, in FTS5's order: by rank, then in row order. */
  match(expression: string, options?: MatchOptions): MatchRow[] {
    const columns = this.#call((raw) => raw.match(expression, options)) as Columns;
    const [ranks, ids, kinds, snippets, highlights] = columns;
    const rows: MatchRow[] = new Array(ids.length);
    for (let i = 0; i < rows.length; i++) {
      const row: { -readonly [name in keyof MatchRow]: MatchRow[name] } = {
        id: ids[i]!,
        kind: kinds ? kinds[i]! : "document",
        rank: ranks[i]!,
      };
      if (snippets) row.snippet = snippets[i]!;
      if (highlights) row.highlight = highlights[i]!;
      rows[i] = row;
    }
    return rows;
  }

  /**
   * The best records for a query of plain words.
   *
   * Where an `embed` function was given, here or to `open`, it is asked for the query's vector. If it fails, words alone
   * are looked for and the response says so; with `mode: "vector"` that is an error.
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResponse<R>> {
    if (!isObject(options)) return this.searchSync(query, options);
    const { embed = this.#embed, signal, ...rest } = options;
    signal?.throwIfAborted();
    const found = (more: Omit<SearchOptions, "embed" | "signal">) => this.ready(() => this.searchSync(query, more), signal);
    if (!embed || rest.vector || rest.mode === "keyword") return found(rest);
    try {
      return await found({ ...rest, vector: await unlessAborted(embedded(query, embed), signal) });
    } catch (cause) {
      if (!(cause instanceof SnapseekError) || cause.code !== "embed/failed" || rest.mode === "vector") throw cause;
      const response = await found({ ...rest, mode: "keyword" });
      return { ...response, degraded: true, warnings: [cause.message, ...(response.warnings ?? [])] };
    }
  }

  /**
   * What `work` gives, with documents where they are in other files; at once where they are not.
   *
   * @internal
   */
  protected ready<T>(work: () => T, signal?: AbortSignal): T | Promise<Awaited<T>> {
    return this.#documents ? this.withDocuments(work, signal ? { signal } : {}) : work();
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
  async withDocuments<T>(work: () => T, options: { readonly signal?: AbortSignal } = {}): Promise<Awaited<T>> {
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
          await unlessAborted(this.#documents.load(blocks, (use) => this.#call(use)), signal);
        }
      }
    } finally {
      if (--this.#waiting === 0 && this.#raw && !hasCrashed) this.#raw.trim();
    }
  }

  /**
   * As {@link Engine.search}, at once: with the vector that is given, or the snapshot's own embedder. Where stored
   * documents are in other files and not at hand, it throws `documents/missing`.
   */
  searchSync(query: string, options: Omit<SearchOptions, "embed" | "signal"> = {}): SearchResponse<R> {
    // What is no object is an error, and wasm says which.
    if (!isObject(options)) return JSON.parse(this.#call((raw) => raw.search(query, options, undefined))) as SearchResponse<R>;
    const { vector, ...given } = options;
    const rest = given.recency ? { now: Date.now(), ...given } : given;
    const numbers = vector && (vector instanceof Float32Array ? vector : Float32Array.from(vector));
    return JSON.parse(this.#call((raw) => raw.search(query, rest, numbers))) as SearchResponse<R>;
  }

  /**
   * The vector of a text, as the snapshot's own embedder makes it; `undefined` where it has none.
   *
   * @param model The model. Defaults to the schema's first.
   */
  embed(text: string, model?: string): Float32Array | undefined {
    return this.#call((raw) => raw.embed(text, model));
  }

  /**
   * The most frequent words that start like the last word of `text`.
   *
   * @param limit How many at most. Defaults to 8.
   */
  suggest(text: string, limit = 8): Suggestion[] {
    const found = this.#call((raw) => raw.suggest(text, limit)) as [string, number][];
    return found.map(([word, count]) => ({ word, count }));
  }

  /** The record with this id and kind; `undefined` where there is none. The kind defaults to `"document"`. */
  record(id: string | number, kind?: string): Readonly<R> | undefined {
    const text = this.#call((raw) => raw.record(String(id), kind));
    return text === undefined ? undefined : (JSON.parse(text) as R);
  }

  /**
   * Checks every byte, and throws where one is damaged.
   *
   * @param options.checksumsOnly Leaves it at the checksums, which is quicker. Defaults to `false`.
   */
  verify(options: { readonly checksumsOnly?: boolean } = {}): void {
    this.#call((raw) => (options.checksumsOnly ? raw.verifyChecksums() : raw.verify()));
  }

  /** Releases the memory. Every later call throws `engine/freed`; freeing again does nothing. */
  free(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (raw && !hasCrashed) raw.free();
  }

  /** As {@link Searcher.free}, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  static {
    // Where a browser lacks the symbol, a method of that name would be called "undefined".
    if (Symbol.dispose) Object.defineProperty(Searcher.prototype, Symbol.dispose, { value: Searcher.prototype.free });
  }
}

/** Records, open for searching and writing; made by `open` or `build`. Release it with {@link Engine.free}. */
export class Engine<R extends object = StoredRecord> extends Searcher<R> {
  #memory: MemoryRecipe | undefined;

  /** @internal */
  static override of<R extends object>(raw: RawEngine, embed?: Embed, documents?: Documents): Engine<R> {
    return new Engine(raw, embed, documents);
  }

  #rag: Rag | undefined;

  /** Chunks of longer texts. */
  get rag(): Rag {
    return (this.#rag ??= new Rag(this, this.embedding));
  }

  #call<T>(work: (raw: RawEngine) => T): T {
    return this.call((raw) => work(raw as RawEngine));
  }

  /**
   * Asks a recipe, at once.
   *
   * @internal
   */
  ask<T>(name: string, options: object = {}, vector?: ArrayLike<number>): T {
    const numbers = vector && (vector instanceof Float32Array ? vector : Float32Array.from(vector));
    return JSON.parse(this.#call((raw) => raw.call(name, { now: Date.now(), ...options }, numbers))) as T;
  }

  /**
   * Asks a recipe about a query. Where there is an `embed` function, it makes the query's vector; if it fails, the recipe
   * is told, and goes without.
   *
   * @internal
   */
  async askAbout<T>(name: string, query: string, options: RecipeOptions): Promise<T> {
    const { embed = this.embedding, vector, ...rest } = options;
    const asked = (more: object, numbers?: ArrayLike<number>) => this.ready(() => this.ask<T>(name, more, numbers)) as T;
    if (vector || !embed || !query.trim()) return asked(rest, vector);
    try {
      return await asked(rest, await embedded(query, embed));
    } catch (cause) {
      if (!(cause instanceof SnapseekError) || cause.code !== "embed/failed") throw cause;
      return asked({ ...rest, embedFailed: cause.message });
    }
  }

  /** What an assistant remembers: the memory recipe's calls. */
  get memory(): MemoryRecipe {
    return (this.#memory ??= new MemoryRecipe(this));
  }

  /** Observations, sessions and prompts, asked in one way. */
  get unified(): Unified<R> {
    return (this.#unified ??= new Unified(this));
  }
  #unified: Unified<R> | undefined;

  /** Entries of knowledge, ranked by seven signals. */
  get vault(): Vault<R> {
    return new Vault(this);
  }

  /**
   * Adds records, all or none. One with the key of another replaces it.
   *
   * @param records Objects, or a text with one JSON object a line.
   */
  add(records: Iterable<RecordInput | Identified> | string): Written {
    const counts = this.#call((raw) => raw.add(listed(records)));
    return { added: counts[0]!, replaced: counts[1]! };
  }

  /** Removes records by their keys, and says how many there were. Keys that are not there are passed over. */
  remove(keys: Iterable<RecordKey>): number {
    const all = Array.from(keys, (key) => (typeof key === "number" ? String(key) : key));
    return this.#call((raw) => raw.remove(all));
  }

  /** Everything that was written since the snapshot, for {@link Engine.apply}. */
  changes(): Uint8Array<ArrayBuffer> {
    return this.#call((raw) => raw.changes()) as Uint8Array<ArrayBuffer>;
  }

  /** Brings back what {@link Engine.changes} gave, on the same snapshot. All is applied, or nothing. */
  apply(changes: Uint8Array): void {
    this.#call((raw) => raw.apply(changes));
  }

  /** All records as a new snapshot: the bytes that building from them gives. */
  snapshot(): Uint8Array<ArrayBuffer> {
    return this.#call((raw) => raw.snapshot()) as Uint8Array<ArrayBuffer>;
  }

  /**
   * All records as a new snapshot whose documents are in other files: what `snapseek build --split-docs` writes. Put them
   * beside the snapshot as `NAME.snap.docs`, or `NAME.snap.docs.0`, `.1` and so on where there are several.
   *
   * @param options.maxFileSize The most bytes that a file of documents may have. Defaults to no limit, and one file.
   */
  splitSnapshot(options: { readonly maxFileSize?: number } = {}): SplitSnapshot {
    const files = this.#call((raw) => raw.splitSnapshot(options.maxFileSize)) as Uint8Array<ArrayBuffer>[];
    return { snapshot: files[0]!, docs: files.slice(1) };
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function embedded(query: string, embed: Embed): Promise<Float32Array> {
  let vectors: readonly ArrayLike<number>[];
  try {
    vectors = await embed([query]);
  } catch (cause) {
    throw new SnapseekError("embed/failed", `embed: the query could not be embedded: ${reasonOf(cause)}`, { cause });
  }
  const vector = vectors?.[0];
  if (!vector || vectors.length !== 1) {
    throw new SnapseekError("embed/failed", "embed: one text was given, so an array of one vector is wanted");
  }
  return Float32Array.from(vector);
}

/**
 * Records as wasm takes them.
 *
 * @internal
 */
export function listed(records: Iterable<object> | string): readonly object[] | string {
  const isIterable = typeof records === "object" && records !== null && Symbol.iterator in records;
  if (!isIterable) return records as string;
  return Array.from(records as Iterable<object>, withPlainVectors);
}

/** JSON writes a typed array as an object; as a plain array it is a vector. */
function withPlainVectors(record: object): object {
  if (typeof record !== "object" || record === null) return record;
  const typed = Object.entries(record).filter(([, value]) => ArrayBuffer.isView(value) && "length" in value);
  if (typed.length === 0) return record;
  const plain = typed.map(([name, value]) => [name, Array.from(value as ArrayLike<number> & ArrayBufferView)]);
  return { ...record, ...Object.fromEntries(plain) };
}
