// Writes sources: the module plans, `embed` embeds in batches, and the module writes.

import type { Asked } from "./asked.js";
import { embedded, type Embedding } from "./embedding.js";
import { inputsOf } from "./embedded-writes.js";
import { type Engine, turn as nextTurn } from "./engine.js";
import { SnapseekError } from "./errors.js";
import type { RagIndexOptions, RagIndexResponse, RagSource, RagSourceReport } from "./rag.types.js";
import type { SourceTurns } from "./source-turns.js";
import type { Embed } from "./types.js";

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

/** A call of `index`. */
export class RagIndexing {
  readonly #engine: Pick<Engine, "askSync" | "withDocuments">;
  readonly #turns: SourceTurns;
  /** The turn of the call among all calls that write sources. */
  readonly #turn: number;
  readonly #asked: Asked;

  constructor(engine: Pick<Engine, "askSync" | "withDocuments">, turns: SourceTurns, turn: number, asked: Asked) {
    this.#engine = engine;
    this.#turns = turns;
    this.#turn = turn;
    this.#asked = asked;
  }

  async run(): Promise<RagIndexResponse> {
    const { options, embed, signal, vector } = this.#asked;
    const { onProgress, sources, strict } = Object(options) as RagIndexOptions & { readonly sources: RagSource | RagSource[] };
    const isCalled = typeof onProgress === "function";
    // `index` has no option `vector`; the module says so.
    const rest = isCalled || vector ? { ...(options as object), ...(isCalled && { onProgress: undefined }), ...(vector && { vector }) } : options;
    const plan = await this.#engine.withDocuments(() => this.#plan(rest), { signal });
    const all = [sources].flat();
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
      const response = await this.#engine.withDocuments(() => this.#write(rest, pending), { signal });
      written = written ? together(written, response) : response;
      if (isCalled) onProgress({ sources: start + some.length, total: all.length, chunks: written.indexedChunks });
      await nextTurn();
    }
    return written!;
  }

  /** Learns which sources are to be written, and which texts are to be embedded for them. */
  #plan(options: unknown): Plan {
    const plan = this.#engine.askSync<Plan>("rag.plan", options, { byEmbed: this.#asked.embed !== undefined });
    // To find a source unchanged is an effect too: an older call must not change it afterwards.
    for (const planned of plan.sources) if (isUnchanged(planned)) this.#turns.take(this.#turn, planned);
    return plan;
  }

  /** Writes the sources that no later call has taken. Nothing can happen between that decision and the write. */
  #write(options: unknown, pending: readonly Pending[]): RagIndexResponse {
    const isSkipped = ({ planned }: Pending): boolean => isUnchanged(planned) || isOfOtherType(planned);
    const live = pending.filter((one) => !isSkipped(one) && !this.#turns.isOvertaken(this.#turn, one.planned));
    const inputs = this.#asked.embed ? inputsOf(live.flatMap(({ made }) => made)) : {};
    // The plan has decided that these sources are written. `force` keeps the module from deciding again.
    const asked = { ...(options as object), sources: live.map(({ source }) => source), force: true };
    const response = this.#engine.askSync<RagIndexResponse>("rag.index", asked, inputs);
    for (const { planned } of live) this.#turns.take(this.#turn, planned);
    const reports = response.sources.values();
    const sources = pending.map((one) => {
      if (live.includes(one)) return reports.next().value!;
      const { texts: _, ...report } = one.planned;
      return isSkipped(one) ? report : superseded(report);
    });
    return { ...response, sources, skipped: sources.length - response.indexed };
  }
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
          if (strict && checked.failure !== undefined) throw new SnapseekError("embed/failed", checked.failure);
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
