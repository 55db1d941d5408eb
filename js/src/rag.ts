import { unlessAborted } from "./abort.js";
import { EmbeddingCache } from "./embedding-cache.js";
import type { Engine } from "./engine.js";
import { SnapseekError, reasonOf } from "./errors.js";
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
import type { Embed } from "./types.js";

/** How many sources are written at once: each write costs the encoding of a segment. */
const SOURCES_A_WRITE = 32;
const TEXTS_A_BATCH = 64;
const WAIT = 1000;
const MAX_WAIT = 10_000;

/** A source on its way to wasm, which is told why it comes without vectors. */
type Sent = RagSource & { readonly embedFailed?: string };

/** What a dry run says of a source. */
type Planned = RagSourceReport & { readonly texts?: readonly string[] };

/** What the calls for the index have in common, as wasm takes them. */
type IndexRest = Omit<RagIndexOptions, "embed" | "batchSize" | "onProgress" | "signal">;

/** Chunks of longer texts: indexed by source, found by words and meaning, with what stands beside them and what is linked. */
export class Rag {
  readonly #engine: Engine<object>;
  readonly #embed: Embed | undefined;
  /** The queries' vectors, by the function that makes them. */
  readonly #caches = new WeakMap<Embed, EmbeddingCache>();
  readonly #indexing = new Set<Promise<unknown>>();

  /** @internal */
  constructor(engine: Engine<object>, embed: Embed | undefined) {
    this.#engine = engine;
    this.#embed = embed;
  }

  /**
   * The best chunks for a query.
   *
   * Where an `embed` function was given, here or to `open`, it is asked for the query's vector. If it fails, a model that
   * the snapshot embeds by itself stands in, or else words alone are looked for, and the response says so.
   */
  async search(options: RagSearchOptions): Promise<RagResponse> {
    const { embed = this.#embed, vector, signal, waitForIndexMs = WAIT, ...rest } = options;
    signal?.throwIfAborted();
    await unlessAborted(this.#settled(waitForIndexMs), signal);
    // What is no text is an error, and wasm says which.
    const isPlain = typeof rest.query !== "string" || rest.mode === "fts" || (!vector && !embed);
    if (isPlain) return this.#engine.ask("rag.search", rest);
    const asked = { ...rest, ...(vector && { vector }), ...(embed && { embed: this.#cached(embed) }) };
    return unlessAborted(this.#engine.askAbout<RagResponse>("rag.search", rest.query, asked), signal);
  }

  /**
   * Cuts sources into chunks and writes them. What did not change is passed over, and chunks that a source no longer has
   * are removed..
   */
  index(sources: Iterable<RagSource>, options: RagIndexOptions = {}): Promise<RagIndexResponse> {
    const indexed = this.#index(Array.from(sources), options);
    const settled = indexed.catch(() => {}).finally(() => this.#indexing.delete(settled));
    this.#indexing.add(settled);
    return indexed;
  }

  /** Removes a source with all its chunks. */
  remove({ sourceType, sourceId }: RagSourceKey): RagRemoveResponse {
    return this.#engine.ask("rag.remove", { sourceType, sourceId });
  }

  async #index(sources: readonly RagSource[], options: RagIndexOptions): Promise<RagIndexResponse> {
    const { embed = this.#embed, batchSize = TEXTS_A_BATCH, onProgress, signal, ...rest } = options;
    if (!(batchSize >= 1)) throw new SnapseekError("option/batchSize", `batchSize: must be at least 1, not ${batchSize}`);
    let response: RagIndexResponse | undefined;
    for (let start = 0; !response || start < sources.length; start += SOURCES_A_WRITE) {
      signal?.throwIfAborted();
      const some = sources.slice(start, start + SOURCES_A_WRITE);
      const written = embed
        ? await this.#embedded(some, rest, embed, batchSize, signal)
        : this.#engine.ask<RagIndexResponse>("rag.index", { ...rest, sources: some });
      response = response ? together(response, written) : written;
      onProgress?.({ sources: start + some.length, total: sources.length, chunks: response.indexedChunks });
      // Others have their turn.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return response;
  }

  /** Writes sources with the vectors that a function makes of their chunks. */
  async #embedded(
    sources: readonly RagSource[],
    rest: IndexRest,
    embed: Embed,
    batchSize: number,
    signal: AbortSignal | undefined,
  ): Promise<RagIndexResponse> {
    const plan = this.#engine.ask<{ sources: readonly Planned[] }>("rag.index", { ...rest, sources, dryRun: true });
    const texts = plan.sources.flatMap((source, number) => (source.texts ?? []).map((text) => ({ text, number })));
    const failed = new Map<number, string>();
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += batchSize) {
      signal?.throwIfAborted();
      const batch = texts.slice(start, start + batchSize);
      try {
        const made = await unlessAborted(vectorsOf(batch.map(({ text }) => text), embed, vectors[0]?.length), signal);
        vectors.push(...made);
      } catch (cause) {
        if (!(cause instanceof SnapseekError) || rest.strict) throw cause;
        for (const { number } of batch) failed.set(number, cause.message);
        vectors.push(...batch.map(() => new Float32Array()));
      }
    }
    const sent = sources.map((source, number): Sent => {
      const embedFailed = failed.get(number);
      return embedFailed === undefined ? source : { ...source, embedFailed };
    });
    // One source's chunks have all their vectors, or none.
    const kept = vectors.filter((_, place) => !failed.has(texts[place]!.number));
    const isChanged = (report: Planned): boolean => report.indexed || report.reason !== "content_unchanged";
    const changed = sent.filter((_, number) => isChanged(plan.sources[number]!));
    const written = this.#engine.ask<RagIndexResponse>(
      "rag.index",
      { ...rest, sources: changed },
      kept.length > 0 ? joined(kept) : undefined,
    );
    const reports = written.sources.values();
    const all = plan.sources.map((report) => (isChanged(report) ? reports.next().value! : report));
    return { ...written, sources: all, skipped: all.filter(({ skipped }) => skipped).length };
  }

  /** Resolves when what is being indexed is, or the time is over. */
  async #settled(milliseconds: number): Promise<void> {
    if (this.#indexing.size === 0 || !(milliseconds > 0)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise((resolve) => (timer = setTimeout(resolve, Math.min(milliseconds, MAX_WAIT))));
    await Promise.race([Promise.all(this.#indexing), over]);
    clearTimeout(timer);
  }

  /** The same function, with a memory for the texts it was given. */
  #cached(embed: Embed): Embed {
    const cache = this.#caches.get(embed) ?? new EmbeddingCache();
    this.#caches.set(embed, cache);
    return async ([query = "", ...others]) => {
      const known = cache.get(query);
      if (known) return [known];
      const vectors = await embed([query, ...others]);
      if (vectors?.length === 1 && vectors[0]) cache.set(query, Float32Array.from(vectors[0]));
      return vectors;
    };
  }
}

/** The vectors of texts, checked. */
async function vectorsOf(texts: readonly string[], embed: Embed, width: number | undefined): Promise<Float32Array[]> {
  let vectors: readonly ArrayLike<number>[];
  try {
    vectors = await embed(texts);
  } catch (cause) {
    throw new SnapseekError("embed/failed", `embed: chunks could not be embedded: ${reasonOf(cause)}`, { cause });
  }
  const made = Array.from(vectors ?? [], (vector) => Float32Array.from(vector ?? []));
  const expected = width || made[0]?.length;
  if (made.length !== texts.length || !expected || made.some(({ length }) => length !== expected)) {
    const wanted = `${texts.length} texts were given, so an array of ${texts.length} vectors of one length is wanted`;
    throw new SnapseekError("embed/failed", `embed: ${wanted}`);
  }
  return made;
}

/** Vectors one after the other. */
function joined(vectors: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const vector of vectors) {
    all.set(vector, end);
    end += vector.length;
  }
  return all;
}

/** What two calls for the index did. */
function together(one: RagIndexResponse, two: RagIndexResponse): RagIndexResponse {
  const union = (a: readonly string[] = [], b: readonly string[] = []): string[] => [...new Set([...a, ...b])].sort();
  const fallbackReasons = union(one.embedding.fallbackReasons, two.embedding.fallbackReasons);
  // The worst of both, but for a write of nothing, which tells nothing.
  const [first, second] = [one, two].map(({ qualityTier, indexed }) => (indexed > 0 ? qualityTier : undefined));
  const isDegraded = first === "degraded" || second === "degraded";
  return {
    ...one,
    indexed: one.indexed + two.indexed,
    skipped: one.skipped + two.skipped,
    indexedChunks: one.indexedChunks + two.indexedChunks,
    removedChunks: one.removedChunks + two.removedChunks,
    qualityTier: isDegraded ? "degraded" : (first ?? second ?? one.qualityTier),
    embedding: {
      providers: union(one.embedding.providers, two.embedding.providers),
      models: union(one.embedding.models, two.embedding.models),
      fallbackCount: one.embedding.fallbackCount + two.embedding.fallbackCount,
      ...(fallbackReasons.length > 0 && { fallbackReasons }),
    },
    sources: [...one.sources, ...two.sources],
  };
}
