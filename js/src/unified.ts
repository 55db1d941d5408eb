// The unified recipe in JavaScript: the parameters of its searches, which unified-searches.ts runs.

import { type Asked, askedOf, joined, timed } from "./asked.js";
import type { Engine } from "./engine.js";
import { checkOptions, forms } from "./host-options.js";
import { optionsText } from "./plain.js";
import type { StoredRecord } from "./types.js";
import type { BoostedParams, UnifiedParams, UnifiedResponse, UnifiedStats } from "./unified.types.js";
import type { UnifiedSearches } from "./unified-searches.js";
import { Warming } from "./warming.js";

/**
 * The part of an engine that the recipe uses.
 *
 * @internal
 */
export type UnifiedEngine = Pick<Engine, "ask" | "askSync" | "embedding" | "embedQuery" | "withDocuments" | "writes">;

/**
 * A search that is ready to run.
 *
 * @internal
 */
export interface PreparedSearch {
  /** Tells it from every other search. */
  readonly key: string;
  /** A copy of the caller's parameters without the signal. */
  readonly params: unknown;
  /** Whether an `embed` function can make the vector of the query. */
  readonly embeds: boolean;
}

/** One search over observations, sessions and prompts; `engine.unified`. */
export class Unified<R extends object = StoredRecord> {
  readonly #engine: UnifiedEngine;
  #loaded: Promise<UnifiedSearches<R>> | undefined;
  readonly #warming = new Warming(async () => {
    const searches = await this.#searches();
    await searches.warm();
    // A rejection ends the warming.
    if (searches.isFreed()) throw new Error("the engine was freed");
  });

  /** @internal */
  constructor(engine: UnifiedEngine) {
    this.#engine = engine;
  }

  /**
   * Returns the records that fit. Without a query, the filters alone select, newest first; otherwise keywords and vectors do.
   *
   * Answers are cached for 30 seconds, or until something is written. Equal searches at the same time run once; a signal ends
   * the waiting of the caller that passed it.
   */
  search(params?: UnifiedParams): Promise<UnifiedResponse<R>> {
    return this.#search("search", params);
  }

  /** Searches for decisions: appends "decision chose architecture" to the query. */
  decisions(query: string, params?: BoostedParams): Promise<UnifiedResponse<R>> {
    return this.#search("decisions", joined({ query }, params));
  }

  /** Searches for changes: appends "changed modified refactored" to the query. */
  changes(query: string, params?: BoostedParams): Promise<UnifiedResponse<R>> {
    return this.#search("changes", joined({ query }, params));
  }

  /** Searches for how things work: appends "architecture design pattern implements" to the query. */
  howItWorks(query: string, params?: BoostedParams): Promise<UnifiedResponse<R>> {
    return this.#search("howItWorks", joined({ query }, params));
  }

  /**
   * Runs the five most frequent searches of the last day again, so that their answers are fresh, and returns how many it ran.
   * A search that fails is skipped. Once the engine is freed, there is nothing left to run.
   *
   * @param options.signal Ends the wait.
   */
  async warm(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    checkOptions(options, { signal: forms.signal });
    return (await this.#searches()).warm(options.signal);
  }

  /**
   * Calls {@link Unified.warm} after 30 seconds and then every 20, until {@link Unified.stopWarming} is called or the engine
   * is freed. It keeps no process alive.
   */
  startWarming(): void {
    this.#warming.start();
  }

  /** Ends the warming that {@link Unified.startWarming} began. */
  stopWarming(): void {
    this.#warming.stop();
  }

  /** Returns counts and latencies since the engine was opened. */
  stats(): UnifiedStats {
    return this.#engine.askSync("unified.stats", {});
  }

  #searches(): Promise<UnifiedSearches<R>> {
    this.#loaded ??= import("./on-demand.js").then(({ UnifiedSearches }) => new UnifiedSearches<R>(this.#engine));
    return this.#loaded;
  }

  #search(call: string, given: unknown): Promise<UnifiedResponse<R>> {
    return timed(async () => {
      const { signal, ...asked } = askedOf(given, this.#engine.embedding);
      signal?.throwIfAborted();
      const search = prepared(call, asked);
      return (await this.#searches()).search(call, search, signal);
    });
  }
}

/** Copies the parameters of a search, so that the caller may change them while it runs, and names it. */
function prepared(call: string, { options, embed, vector }: Omit<Asked, "signal">): PreparedSearch {
  const plain = JSON.parse(optionsText(options)) as unknown;
  const embeds = embed !== undefined && vector === undefined;
  const sorted = Object.entries(Object(plain)).sort(([a], [b]) => (a < b ? -1 : 1));
  const key = JSON.stringify([call, sorted, vector ? Array.from(vector) : embeds]);
  const isObject = typeof plain === "object" && !Array.isArray(plain);
  // Unusable options of JavaScript's own are among the plain ones, and the module reports them.
  return { key, embeds, params: isObject ? { embed, vector, ...plain } : plain };
}
