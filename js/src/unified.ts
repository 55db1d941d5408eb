// The unified recipe: what stands between its callers and the engine. The engine keeps answers and figures; here equal
// searches are joined, and what is asked often is asked again.

import type { Engine } from "./engine.js";
import { Flights } from "./flights.js";
import { Frequencies } from "./frequencies.js";
import type { Embed, StoredRecord } from "./types.js";
import type { UnifiedParams, UnifiedResponse, UnifiedStats } from "./unified.types.js";
import { Warming } from "./warming.js";

/** So many of the most frequent searches are run again. */
const WARMED = 5;

type Asked = Omit<UnifiedParams, "signal">;

/** What it needs of an engine. */
type Asking = Pick<Engine, "ask" | "askSync" | "embedding">;

/** What functions are called in the engine's cache. */
const names = new WeakMap<Embed, string>();
let named = 0;

/** Observations, sessions and prompts, asked in one way; `engine.unified`. */
export class Unified<R extends object = StoredRecord> {
  readonly #engine: Asking;
  readonly #flights = new Flights<UnifiedResponse<R>>();
  readonly #frequencies = new Frequencies<Asked>();
  readonly #warming = new Warming(() => this.warm());

  /** @internal */
  constructor(engine: Asking) {
    this.#engine = engine;
  }

  /**
   * The records that fit: by filters alone, newest first, where there is no query; otherwise by words and vectors.
   *
   * Answers are kept for 30 seconds, or until something is written. Equal searches at once are one search; a signal ends
   * the waiting of the caller who gave it.
   */
  async search(params: UnifiedParams = {}): Promise<UnifiedResponse<R>> {
    const { signal, ...asked } = params;
    signal?.throwIfAborted();
    const key = this.#key(asked);
    const coalesced = this.#flights.has(key);
    const began = performance.now();
    const response = await this.#flights.join(key, () => this.#run(asked), signal);
    this.#frequencies.note(key, asked);
    try {
      this.#engine.askSync("unified.note", { latency: performance.now() - began, coalesced });
    } catch {
      // The engine was freed while this was under way; the answer is good all the same.
    }
    return response;
  }

  /** Searches for decisions: "decision chose architecture" is appended to the query. */
  decisions(query: string, params?: UnifiedParams): Promise<UnifiedResponse<R>> {
    return this.#boosted(query, "decision chose architecture", params);
  }

  /** Searches for changes: "changed modified refactored" is appended to the query. */
  changes(query: string, params?: UnifiedParams): Promise<UnifiedResponse<R>> {
    return this.#boosted(query, "changed modified refactored", params);
  }

  /** Searches for how things work: "architecture design pattern implements" is appended to the query. */
  howItWorks(query: string, params?: UnifiedParams): Promise<UnifiedResponse<R>> {
    return this.#boosted(query, "architecture design pattern implements", params);
  }

  /** Runs the five most frequent searches of the last day again, so that their answers are fresh; says how many. */
  async warm(): Promise<number> {
    const often = this.#frequencies.top(WARMED);
    for (const [key, asked] of often) await this.#flights.join(key, () => this.#run(asked, { warming: true }));
    return often.length;
  }

  /** Warms after 30 seconds, and then every 20, until {@link Unified.stopWarming}. No process is kept alive by it. */
  startWarming(): void {
    this.#warming.start();
  }

  /** Ends what {@link Unified.startWarming} began. */
  stopWarming(): void {
    this.#warming.stop();
  }

  /** What was counted since the engine was opened. */
  stats(): UnifiedStats {
    return this.#engine.askSync("unified.stats", {});
  }

  #boosted(query: string, booster: string, params: UnifiedParams | undefined): Promise<UnifiedResponse<R>> {
    return this.search({ ...params, query: query.trim() ? `${query} ${booster}` : query });
  }

  async #run(asked: Asked, more: { readonly warming?: true } = {}): Promise<UnifiedResponse<R>> {
    const { embed = this.#engine.embedding, vector, ...rest } = asked;
    const options = { ...rest, ...more };
    if (!embed || vector) return this.#engine.ask("unified.search", { ...options, vector });
    // What the cache, filters or sure words answer needs no vector; then none is made.
    const named = { ...options, embed, embedder: nameOf(embed) };
    const early = await this.#engine.ask<UnifiedResponse<R> | null>("unified.early", named);
    return early ?? this.#engine.ask("unified.search", named, collapsed(rest.query));
  }

  /** What tells this search from all others. */
  #key({ embed = this.#engine.embedding, vector, ...rest }: Asked): string {
    return JSON.stringify([Object.entries(rest).sort(), vector ? Array.from(vector) : embed && nameOf(embed)]);
  }
}

function nameOf(embed: Embed): string {
  const name = names.get(embed) ?? String(++named);
  names.set(embed, name);
  return name;
}

function collapsed(query = ""): string {
  return query.trim().replace(/\s+/g, " ");
}
