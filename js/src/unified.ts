// The unified recipe in JavaScript. The module ranks, and keeps answers and statistics; here equal searches are joined, the
// query is embedded where that is needed, and frequent searches are run again.

import { type Asked, askedOf, joined, timed } from "./asked.js";
import type { Engine } from "./engine.js";
import { Flights } from "./flights.js";
import { Frequencies } from "./frequencies.js";
import { checkOptions, forms } from "./host-options.js";
import { optionsText } from "./plain.js";
import type { StoredRecord } from "./types.js";
import type { BoostedParams, UnifiedParams, UnifiedResponse, UnifiedStats } from "./unified.types.js";
import { Warming } from "./warming.js";

/** The number of frequent searches that `warm` runs again. */
const WARMED = 5;

/** The part of an engine that the recipe uses. */
type UnifiedEngine = Pick<Engine, "ask" | "askSync" | "embedding" | "embedQuery" | "withDocuments" | "writes">;

/** A search that is ready to run. */
interface PreparedSearch {
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
  readonly #flights = new Flights<UnifiedResponse<R>>();
  readonly #frequencies = new Frequencies<PreparedSearch>();
  readonly #warming = new Warming(async () => {
    await this.#warm();
    // A rejection ends the warming.
    if (this.#isFreed()) throw new Error("the engine was freed");
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
    return this.#warm(options.signal);
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

  #search(call: string, given: unknown): Promise<UnifiedResponse<R>> {
    return timed(async () => {
      const { signal, ...asked } = askedOf(given, this.#engine.embedding);
      signal?.throwIfAborted();
      const search = prepared(call, asked);
      const began = performance.now();
      const flight = this.#flightOf(search);
      const coalesced = this.#flights.has(flight);
      const response = await this.#flights.join(flight, () => this.#run(`unified.${call}`, search), signal);
      // `unified.warm` has no booster, so the whole query is recorded.
      this.#frequencies.note(search.key, { ...search, params: { ...Object(search.params), query: response.query } });
      this.#note({ latency: performance.now() - began, coalesced });
      return response;
    });
  }

  /** Names a search for those that may join it: none that begins after a write. */
  #flightOf({ key }: PreparedSearch): string {
    return `${this.#engine.writes} ${key}`;
  }

  async #run(name: string, { params, embeds }: PreparedSearch): Promise<UnifiedResponse<R>> {
    if (!embeds) return this.#engine.ask(name, params);
    // The cache, the filters or confident keywords may answer without a vector.
    const early = await this.#engine.ask<UnifiedResponse<R> | { readonly embed: string }>(`${name}.early`, params);
    if (!("embed" in early)) return early;
    const asked = askedOf(params, this.#engine.embedding);
    // The module applies `strict`, so that it counts the failure first.
    const lenient = { ...asked, options: { ...Object(asked.options), strict: false } };
    const host = await this.#engine.embedQuery(lenient, early.embed);
    return this.#engine.withDocuments(() => this.#engine.askSync<UnifiedResponse<R>>(name, asked.options, host));
  }

  async #warm(signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (const [, search] of this.#frequencies.top(WARMED)) {
      signal?.throwIfAborted();
      if (this.#isFreed()) break;
      try {
        await this.#flights.join(this.#flightOf(search), () => this.#run("unified.warm", search), signal);
        count += 1;
      } catch {
        signal?.throwIfAborted();
        // One that fails, such as a strict search whose embedder is down, does not keep the others from being warmed.
      }
    }
    return count;
  }

  #isFreed(): boolean {
    try {
      return Number.isNaN(this.#engine.writes);
    } catch {
      return true;
    }
  }

  #note(event: { readonly latency: number; readonly coalesced: boolean }): void {
    try {
      this.#engine.askSync("unified.note", event);
    } catch {
      // The engine was freed while the search ran; its response is good all the same.
    }
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
