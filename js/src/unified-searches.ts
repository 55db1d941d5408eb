// Runs the searches of the unified recipe. The module ranks, and keeps answers and statistics; here equal searches are joined,
// the query is embedded where that is needed, and frequent searches are run again.

import { askedOf } from "./asked.js";
import { Flights } from "./flights.js";
import { Frequencies } from "./frequencies.js";
import type { StoredRecord } from "./types.js";
import type { PreparedSearch, UnifiedEngine } from "./unified.js";
import type { UnifiedResponse } from "./unified.types.js";

/** The number of frequent searches that `warm` runs again. */
const WARMED = 5;

/**
 * The searches of one engine.
 *
 * @internal
 */
export class UnifiedSearches<R extends object = StoredRecord> {
  readonly #engine: UnifiedEngine;
  readonly #flights = new Flights<UnifiedResponse<R>>();
  readonly #frequencies = new Frequencies<PreparedSearch>();

  constructor(engine: UnifiedEngine) {
    this.#engine = engine;
  }

  /** Runs a search, or waits for an equal one that is running. */
  async search(call: string, search: PreparedSearch, signal?: AbortSignal): Promise<UnifiedResponse<R>> {
    const began = performance.now();
    const flight = this.#flightOf(search);
    const coalesced = this.#flights.has(flight);
    const response = await this.#flights.join(flight, () => this.#run(`unified.${call}`, search), signal);
    // `unified.warm` has no booster, so the whole query is recorded.
    this.#frequencies.note(search.key, { ...search, params: { ...Object(search.params), query: response.query } });
    this.#note({ latency: performance.now() - began, coalesced });
    return response;
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

  /** Runs the most frequent searches again, and returns how many it ran. */
  async warm(signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (const [, search] of this.#frequencies.top(WARMED)) {
      signal?.throwIfAborted();
      if (this.isFreed()) break;
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

  /** Whether the engine was freed. */
  isFreed(): boolean {
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

