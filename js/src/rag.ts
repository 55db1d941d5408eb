import { unlessAborted } from "./abort.js";
import { askedOf, isList, isOptions, joined, timed, timedSync } from "./asked.js";
import type { Engine } from "./engine.js";
import type {
  RagIndexOptions,
  RagIndexResponse,
  RagRemoveResponse,
  RagResponse,
  RagSearchOptions,
  RagSource,
  RagSourceKey,
} from "./rag.types.js";
import { SourceTurns } from "./source-turns.js";

/** How long `search` waits for pending writes, in milliseconds: by default, and at most. */
const WAIT = 1000;
const MAX_WAIT = 10_000;

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
    const indexed = timed(async () => {
      const asked = askedOf(joined({ sources: listed(sources) }, options), this.#engine.embedding);
      const { RagIndexing } = await import("./on-demand.js");
      return new RagIndexing(this.#engine, this.#turns, turn, asked).run();
    }).finally(() => this.#turns.end());
    this.#indexing = Promise.allSettled([this.#indexing, indexed]).then(() => {});
    return indexed;
  }

  /** Removes a source with all of its chunks. Pending calls of `index` do not bring it back. */
  remove(source: RagSourceKey): RagRemoveResponse {
    const turn = this.#turns.begin();
    try {
      const response = timedSync(() => this.#engine.askSync<RagRemoveResponse>("rag.remove", source));
      this.#turns.take(turn, source);
      return response;
    } finally {
      this.#turns.end();
    }
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
  return isList(sources) ? Array.from(sources, copied) : copied(sources);
}

/** The caller may change a source while its texts are embedded, so the plan and the write use a copy. */
function copied(source: unknown): unknown {
  return isOptions(source) && !("toJSON" in source) ? { ...source } : source;
}
