import { unlessAborted } from "./abort.js";
import { askedOf, type HostInputs, timed } from "./asked.js";
import { embedded, embedError, type Embedding } from "./embedding.js";
import type { Engine } from "./engine.js";
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
import { SourceTurns } from "./source-turns.js";
import { turn as nextTurn } from "./turn.js";
import type { Embed } from "./types.js";

/** How long `search` waits for pending writes, in milliseconds: by default, and at most. */
const WAIT = 1000;
const MAX_WAIT = 10_000;

/** The plan of the module for a source: the report that it will get, and the texts to embed. */
type Planned = RagSourceReport & { readonly texts: readonly string[] };

/** The plan of the module for a call of `index`, with every number in its range. */
interface Plan {
  readonly batchSize: number;
  readonly parallelBatches: number;
  readonly checkpointEvery: number;
  /** The width of the vectors; `null` where no vector has settled it yet. */
  readonly width: number | null;
  readonly sources: readonly Planned[];
}

/** A source on its way into the engine. */
interface Pending {
  readonly source: RagSource;
  readonly planned: Planned;
  /** The embeddings of its texts; empty without an `embed` function. */
  readonly made: readonly Embedding[];
}

/** The RAG recipe: sources become chunks, and chunks are found by words and vectors, with their neighbours and links. */
export class Rag {
  readonly #engine: Engine<object>;
  readonly #turns = new SourceTurns();
  /** Resolves when no call of `index` is pending. */
  #indexing: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(engine: Engine<object>) {
    this.#engine = engine;
  }

  /**
   * Finds the best chunks for a query.
   *
   * An `embed` function, given here or to `open`, makes the query's vector. If it fails, a model that the snapshot embeds
   * itself stands in, or else only words count. Then the response is `degraded`; with `strict: true` it is an error.
   */
  search(options: RagSearchOptions): Promise<RagResponse> {
    return timed(async () => {
      // The module reports faulty options, so their types are not taken for granted here.
      const { query, mode, waitForIndexMs } = Object(options) as Partial<RagSearchOptions>;
      const { signal } = askedOf(options, undefined);
      await unlessAborted(this.#settled(waitForIndexMs), signal);
      return this.#engine.ask<RagResponse>("rag.search", options, mode === "fts" ? undefined : query);
    });
  }

  /**
   * Cuts sources into chunks and writes them. Unchanged sources are skipped, and chunks that a source no longer has are
   * removed.
   *
   * Calls for the same source take effect in the order in which they were made, however long their embedding takes: a later
   * `index` or `remove` of a source wins.
   *
   * @param sources The sources, or a single one.
   */
  index(sources: Iterable<RagSource> | RagSource, options?: RagIndexOptions): Promise<RagIndexResponse> {
    const turn = this.#turns.begin();
    const indexed = timed(() => this.#index(listed(sources), options, turn)).finally(() => this.#turns.end());
    this.#indexing = Promise.allSettled([this.#indexing, indexed]).then(() => {});
    return indexed;
  }

  /** Removes a source with all of its chunks. Pending calls of `index` do not bring it back. */
  remove(source: RagSourceKey): RagRemoveResponse {
    const began = performance.now();
    const turn = this.#turns.begin();
    try {
      const response = this.#engine.askSync<RagRemoveResponse>("rag.remove", source);
      this.#turns.take(turn, source);
      return { ...response, elapsed: performance.now() - began };
    } finally {
      this.#turns.end();
    }
  }

  async #index(sources: unknown, given: unknown, turn: number): Promise<RagIndexResponse> {
    const { options, embed, signal, vector } = askedOf(withSources(sources, given), this.#engine.embedding);
    const { onProgress } = Object(options) as RagIndexOptions;
    const isCalled = typeof onProgress === "function";
    // `index` has no option `vector`; the module says so.
    const rest = isCalled || vector ? { ...(options as object), ...(isCalled && { onProgress: undefined }), ...(vector && { vector }) } : options;
    const plan = await this.#engine.withDocuments(() => this.#plan(rest, embed, turn), { signal });
    const all = Array.isArray(sources) ? (sources as RagSource[]) : [sources as RagSource];
    const { strict } = rest as RagIndexOptions;
    let written: RagIndexResponse | undefined;
    for (let start = 0; start === 0 || start < all.length; start += plan.checkpointEvery) {
      signal?.throwIfAborted();
      const some = plan.sources.slice(start, start + plan.checkpointEvery);
      const texts = some.flatMap((planned) => planned.texts);
      const made = embed ? await embeddedInBatches(texts, embed, plan, strict === true, signal) : [];
      let used = 0;
      const pending = some.map((planned, place): Pending => {
        const own = made.slice(used, (used += planned.texts.length));
        return { source: all[start + place]!, planned, made: own };
      });
      const response = await this.#engine.withDocuments(() => this.#write(rest, pending, embed, turn), { signal });
      written = written ? together(written, response) : response;
      if (isCalled) onProgress({ sources: start + some.length, total: all.length, chunks: written.indexedChunks });
      await nextTurn();
    }
    return written!;
  }

  /** Learns which sources are to be written, and which texts are to be embedded for them. */
  #plan(options: unknown, embed: Embed | undefined, turn: number): Plan {
    const plan = this.#engine.askSync<Plan>("rag.plan", options, { byEmbed: embed !== undefined });
    // To find a source unchanged is an effect too: an older call must not change it afterwards.
    for (const planned of plan.sources) if (isUnchanged(planned)) this.#turns.take(turn, planned);
    return plan;
  }

  /** Writes the sources that no later call has taken. Nothing can happen between that decision and the write. */
  #write(options: unknown, pending: readonly Pending[], embed: Embed | undefined, turn: number): RagIndexResponse {
    const isSkipped = ({ planned }: Pending): boolean => isUnchanged(planned) || isOfOtherType(planned);
    const live = pending.filter((one) => !isSkipped(one) && !this.#turns.isOvertaken(turn, one.planned));
    const inputs = embed ? inputsOf(live.flatMap(({ made }) => made)) : {};
    // The plan has decided that these sources are written. `force` keeps the module from deciding again.
    const asked = { ...(options as object), sources: live.map(({ source }) => source), force: true };
    const response = this.#engine.askSync<RagIndexResponse>("rag.index", asked, inputs);
    for (const { planned } of live) this.#turns.take(turn, planned);
    const reports = response.sources.values();
    const sources = pending.map((one) => {
      if (live.includes(one)) return reports.next().value!;
      const { texts: _, ...report } = one.planned;
      return isSkipped(one) ? report : superseded(report);
    });
    return { ...response, sources, skipped: sources.length - response.indexed };
  }

  /** Resolves when no call of `index` is pending, or the time is over. */
  async #settled(milliseconds: unknown = WAIT): Promise<void> {
    if (typeof milliseconds !== "number" || !(milliseconds > 0)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise((resolve) => (timer = setTimeout(resolve, Math.min(milliseconds, MAX_WAIT))));
    await Promise.race([this.#indexing, over]);
    clearTimeout(timer);
  }
}

/** The sources as a list of copies. Anything that is no list stays one value, and the module accepts or reports it. */
function listed(sources: unknown): unknown {
  const isList = typeof sources === "object" && sources !== null && Symbol.iterator in sources;
  return isList ? Array.from(sources as Iterable<unknown>, copied) : copied(sources);
}

/** The caller may change a source while its texts are embedded, so the plan and the write use a copy. */
function copied(source: unknown): unknown {
  const isPlain = typeof source === "object" && source !== null && !Array.isArray(source) && !("toJSON" in source);
  return isPlain ? { ...source } : source;
}

function withSources(sources: unknown, options: unknown): unknown {
  if (options === undefined || options === null) return { sources };
  if (typeof options !== "object" || Array.isArray(options)) return options;
  if ("sources" in options) throw new SnapseekError("option/sources", "sources: must be the first argument, not an option");
  return { ...options, sources };
}

function isUnchanged(report: RagSourceReport): boolean {
  return report.skipped && report.reason === "content_unchanged";
}

function isOfOtherType(report: RagSourceReport): boolean {
  return report.skipped && report.reason === "other_type";
}

/** The report for a source that a later call has taken. */
function superseded({ sourceType, sourceId }: RagSourceReport): RagSourceReport {
  return { sourceType, sourceId, indexed: false, skipped: true, reason: "superseded", indexedChunks: 0, removedChunks: 0 };
}

/** Embeds texts in batches, several at once. With `strict`, the first failure ends it. */
async function embeddedInBatches(
  texts: readonly string[],
  embed: Embed,
  { batchSize, parallelBatches, width }: Plan,
  strict: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly Embedding[]> {
  const made: Embedding[] = [];
  let settled = width ?? undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    try {
      while (next < texts.length) {
        const start = next;
        next += batchSize;
        const batch = await embedded(texts.slice(start, start + batchSize), embed, { width: settled, signal });
        batch.forEach((one, place) => {
          // A batch that began before another settled the width may have vectors of its own width.
          const checked = ofWidth(one, settled);
          if (strict && checked.failure !== undefined) throw embedError(checked.failure);
          settled ??= checked.vector?.length;
          made[start + place] = checked;
        });
      }
    } catch (error) {
      next = texts.length;
      throw error;
    }
  };
  const batches = Math.ceil(texts.length / batchSize);
  await Promise.all(Array.from({ length: Math.min(parallelBatches, batches) }, work));
  return made;
}

function ofWidth(made: Embedding, width: number | undefined): Embedding {
  if (made.vector === undefined || width === undefined || made.vector.length === width) return made;
  return { failure: `embed: its vector has ${made.vector.length} numbers, and ${width} are needed` };
}

/** Hands embeddings to the module: the vectors in one, and a failure for each text without a vector. */
function inputsOf(made: readonly Embedding[]): HostInputs {
  const vectors = made.flatMap(({ vector }) => (vector ? [vector] : []));
  const numbers = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const vector of vectors) {
    numbers.set(vector, filled);
    filled += vector.length;
  }
  const hasFailed = vectors.length < made.length;
  return {
    made: vectors.length > 0 ? numbers : undefined,
    byEmbed: true,
    failures: hasFailed ? made.map(({ failure }) => failure ?? null) : undefined,
  };
}

/** Joins the responses of two writes of one call. */
function together(a: RagIndexResponse, b: RagIndexResponse): RagIndexResponse {
  const joined = (one: readonly string[] = [], other: readonly string[] = []): string[] => [...new Set([...one, ...other])].sort();
  const reasons = joined(a.embedding.fallbackReasons, b.embedding.fallbackReasons);
  // A write of nothing is never degraded, and says nothing about the tier.
  const { qualityTier } = a.indexed > 0 && b.qualityTier !== "degraded" ? a : b;
  return {
    ...b,
    indexed: a.indexed + b.indexed,
    skipped: a.skipped + b.skipped,
    indexedChunks: a.indexedChunks + b.indexedChunks,
    removedChunks: a.removedChunks + b.removedChunks,
    qualityTier,
    embedding: {
      providers: joined(a.embedding.providers, b.embedding.providers),
      models: joined(a.embedding.models, b.embedding.models),
      fallbackCount: a.embedding.fallbackCount + b.embedding.fallbackCount,
      ...(reasons.length > 0 && { fallbackReasons: reasons }),
    },
    sources: [...a.sources, ...b.sources],
    degraded: a.degraded || b.degraded,
    warnings: joined(a.warnings, b.warnings),
  };
}
