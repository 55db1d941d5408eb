import { unlessAborted } from "./abort.js";
import type { Engine } from "./engine.js";
import { embedded, embedError } from "./embedding.js";
import { SnapseekError } from "./errors.js";
import type {
  RagIndexOptions,
  RagIndexResponse,
  RagRemoveResponse,
  RagResponse,
  RagSearchOptions,
  RagSource,
  RagSourceKey,
  RagSourceReport,
} from "./rag.types.js";
import { turn } from "./turn.js";
import type { Embed } from "./types.js";

/** How many sources are written at once: each write costs the encoding of a segment. */
const SOURCES_A_WRITE = 32;
const TEXTS_A_BATCH = 64;
const WAIT = 1000;
const MAX_WAIT = 10_000;

/** A source on its way to wasm, which is told why it comes without vectors. */
type Sent = RagSource & { embedFailed?: string };

/** What a dry run says of a source. */
type Planned = RagSourceReport & { readonly reason?: string; readonly texts?: readonly string[] };

/** What the calls for the index have in common, as wasm takes them. */
type IndexRest = Omit<RagIndexOptions, "embed" | "batchSize" | "onProgress" | "signal">;

/** Chunks of longer texts: indexed by source, found by words and meaning, with what stands beside them and what is linked. */
export class Rag {
  readonly #engine: Engine<object>;
  /** Resolves when everything that is being indexed is. */
  #indexing: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(engine: Engine<object>) {
    this.#engine = engine;
  }

  /**
   * The best chunks for a query.
   *
   * Where an `embed` function was given, here or to `open`, it is asked for the query's vector. If it fails, a model that
   * the snapshot embeds by itself stands in, or else words alone are looked for, and the response says so.
   */
  async search(options: RagSearchOptions): Promise<RagResponse> {
    const { waitForIndexMs = WAIT, ...rest } = options;
    await unlessAborted(this.#settled(waitForIndexMs), options.signal);
    // Keyword search needs no vector.
    const isPlain = rest.mode === "fts";
    return this.#engine.ask("rag.search", isPlain ? { ...rest, vector: undefined } : rest, isPlain ? undefined : rest.query);
  }

  /**
   * Cuts sources into chunks and writes them. What did not change is passed over, and chunks that a source no longer has
   * are removed.
   */
  index(sources: Iterable<RagSource>, options: RagIndexOptions = {}): Promise<RagIndexResponse> {
    const indexed = this.#index(Array.from(sources), options);
    // What the calls gave is not kept.
    this.#indexing = Promise.allSettled([this.#indexing, indexed]).then(() => {});
    return indexed;
  }

  /** Removes a source with all its chunks. */
  remove({ sourceType, sourceId }: RagSourceKey): RagRemoveResponse {
    return this.#engine.askSync("rag.remove", { sourceType, sourceId });
  }

  async #index(sources: readonly RagSource[], options: RagIndexOptions): Promise<RagIndexResponse> {
    const { embed = this.#engine.embedding, batchSize = TEXTS_A_BATCH, onProgress, signal, ...rest } = options;
    if (!(batchSize >= 1)) throw new SnapseekError("option/batchSize", `batchSize: must be at least 1, not ${batchSize}`);
    let written: RagIndexResponse | undefined;
    for (let start = 0; start === 0 || start < sources.length; start += SOURCES_A_WRITE) {
      signal?.throwIfAborted();
      const some = sources.slice(start, start + SOURCES_A_WRITE);
      const response = embed
        ? await this.#embedded(some, rest, embed, batchSize, signal)
        : await this.#write({ ...rest, sources: some });
      written = written ? together(written, response) : response;
      onProgress?.({ sources: start + some.length, total: sources.length, chunks: written.indexedChunks });
      await turn();
    }
    return written!;
  }

  /** Writes sources with the vectors that a function makes of their chunks. */
  async #embedded(
    sources: readonly RagSource[],
    rest: IndexRest,
    embed: Embed,
    batchSize: number,
    signal: AbortSignal | undefined,
  ): Promise<RagIndexResponse> {
    const plan = await this.#write<{ sources: readonly Planned[] }>({ ...rest, sources, dryRun: true });
    const sent = sources.map((source): Sent => ({ ...source }));
    const texts = plan.sources.flatMap(({ texts = [] }, number) => texts.map((text) => [text, sent[number]!] as const));
    const vectors: Float32Array[] = [];
    let width = vectors[0]?.length;
    for (let start = 0; start < texts.length; start += batchSize) {
      const batch = texts.slice(start, start + batchSize);
      const made = await embedded(batch.map(([text]) => text), embed, { width, signal });
      made.forEach(({ vector, failure }, place) => {
        if (failure !== undefined && rest.strict) throw embedError(failure);
        if (failure !== undefined) batch[place]![1].embedFailed = failure;
        vectors.push(vector ?? new Float32Array());
        width ??= vector?.length;
      });
    }
    const isChanged = plan.sources.map(({ reason }) => reason !== "content_unchanged");
    const changed = sent.filter((_, number) => isChanged[number]);
    // One source's chunks have all their vectors, or none.
    const vector = vectors.flatMap((vector, place) => (texts[place]![1].embedFailed ? [] : Array.from(vector)));
    const written = await this.#write({ ...rest, sources: changed, vector });
    const reports = written.sources.values();
    const all = plan.sources.map((report, number) => (isChanged[number] ? reports.next().value! : report));
    return { ...written, sources: all, skipped: written.skipped + sources.length - changed.length };
  }

  /** Writes sources, or plans to, once the documents are there that they are compared with. */
  #write<T = RagIndexResponse>(options: object): Promise<T> {
    return this.#engine.ask("rag.index", options);
  }

  /** Resolves when what is being indexed is, or the time is over. */
  async #settled(milliseconds: number): Promise<void> {
    if (!(milliseconds > 0)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise((resolve) => (timer = setTimeout(resolve, Math.min(milliseconds, MAX_WAIT))));
    await Promise.race([this.#indexing, over]);
    clearTimeout(timer);
  }
}

/** Two answers in one: counts are added, lists joined, each word once. Settings are the same in both. */
function joined<T extends object>(a: T, b: T): T {
  const join = ([name, one]: [string, unknown]): [string, unknown] => {
    const other = (b as Record<string, unknown>)[name];
    if (Array.isArray(one)) return [name, [...new Set(one.concat(other ?? []))].sort()];
    return [name, typeof one === "number" && !name.startsWith("chunk") ? one + (other as number) : one];
  };
  return Object.fromEntries(Object.entries({ ...b, ...a }).map(join)) as T;
}

/** What two calls for the index did. */
function together(a: RagIndexResponse, b: RagIndexResponse): RagIndexResponse {
  // The worse of both. A write of nothing tells nothing, and is never degraded.
  const { qualityTier } = a.indexed > 0 && b.qualityTier !== "degraded" ? a : b;
  return { ...joined(a, b), qualityTier, embedding: joined(a.embedding, b.embedding) };
}
