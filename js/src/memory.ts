// The memory recipe: what an assistant remembers.

import type { Engine } from "./engine.js";
import type {
  MemoryCreated,
  MemoryDocumentResult,
  MemoryFtsResult,
  MemoryResponse,
  MemoryResult,
  MemorySearchOptions,
  MemorySession,
  MemorySettings,
  MemoryUsage,
  MemoryVectorResult,
  MemoryWeights,
  NewMemory,
  NewMemorySession,
  SessionContext,
  TimelineResult,
} from "./memory.types.js";

/** Memories, their sessions and relationships; reached by `engine.memory`. They are records of kind `"memory"`. */
export class MemoryRecipe {
  readonly #engine: Engine<object>;
  #settings: MemorySettings = {};

  /** @internal */
  constructor(engine: Engine<object>) {
    this.#engine = engine;
  }

  /** Says what holds for all calls from now on; what is left out is as it was by default. */
  configure(settings: MemorySettings): void {
    this.#settings = { ...settings };
  }

  /**
   * The best memories for a query. What is returned is reinforced, unless `track` is `false`.
   *
   * Where an `embed` function was given, here or to `open`, it is asked for the query's vector. If it fails, or there is no
   * vector at all, words alone are looked for and the response is `degraded`.
   */
  search(
    options: MemorySearchOptions & { readonly includeDocuments: true },
  ): Promise<MemoryResponse<MemoryResult | MemoryDocumentResult>>;
  search(
    options: MemorySearchOptions & { readonly includeDocuments?: false },
  ): Promise<MemoryResponse<MemoryResult>>;
  search(options: MemorySearchOptions): Promise<MemoryResponse<MemoryResult | MemoryDocumentResult>>;
  search(options: MemorySearchOptions): Promise<MemoryResponse<MemoryResult | MemoryDocumentResult>> {
    return this.#find("memory.search", options);
  }

  /**
   * The best documents for a query, each by its best chunk: records of kind `"document"`.
   *
   * @param limit How many at most. Defaults to 10.
   */
  searchDocuments(query: string, projectId?: string, limit?: number): Promise<MemoryResponse<MemoryDocumentResult>> {
    return this.#find("memory.searchDocuments", { query, projectId, limit });
  }

  /**
   * What words find, by FTS5's rank: memories with any word that starts like one of the query's.
   *
   * @param limit How many at most. Defaults to 20.
   */
  async searchFts(query: string, projectId?: string, limit?: number): Promise<MemoryResponse<MemoryFtsResult>> {
    return this.#ask("memory.searchFts", { query, projectId, limit });
  }

  /**
   * What vectors find, nearest first.
   *
   * @param limit How many at most. Defaults to 20.
   */
  searchVector(query: string, projectId?: string, limit?: number): Promise<MemoryResponse<MemoryVectorResult>> {
    return this.#find("memory.searchVector", { query, projectId, limit });
  }

  /**
   * The memories of the same project before and after one.
   *
   * @param before How many before it at most. Defaults to 5.
   * @param after How many after it at most. Defaults to 5.
   */
  async timeline(id: string, before?: number, after?: number): Promise<TimelineResult> {
    const found = await this.#ask<Omit<TimelineResult, "sessions"> & { readonly sessions: readonly MemorySession[] }>(
      "memory.timeline",
      { id, before, after, decay: this.#settings.decay },
    );
    return { ...found, sessions: new Map(found.sessions.map((session) => [session.id, session])) };
  }

  /** How a memory was used last, and where; `null` where no session has used it. */
  async sessionContext(id: string): Promise<SessionContext | null> {
    return this.#ask("memory.sessionContext", { id });
  }

  /** Creates a memory, in a session if one is named. Where `embed` fails it has no vector, and `embedded` says so. */
  async create(memory: NewMemory, projectId?: string, sessionId?: string): Promise<MemoryCreated> {
    const text = [memory.content, memory.summary].filter(Boolean).join("\n");
    // What is left out stays as the memory itself says it.
    const named = { ...(projectId !== undefined && { projectId }), ...(sessionId !== undefined && { sessionId }) };
    return this.#engine.ask("memory.create", { ...memory, ...named }, text);
  }

  /** Lets one memory stand in place of another from now on. */
  async supersede(oldId: string, newId: string): Promise<void> {
    await this.#ask("memory.supersede", { oldId, newId });
  }

  /**
   * Relates two memories.
   *
   * @param type What the relationship means. Defaults to `"RELATED_TO"`.
   */
  async relate(
    sourceId: string,
    targetId: string,
    type?: string,
    options: { /** When it ends. Defaults to never. */ readonly validUntil?: number | string | Date } = {},
  ): Promise<void> {
    await this.#ask("memory.relate", { sourceId, targetId, type, ...options });
  }

  /**
   * Lets a memory matter more, and says how much it does.
   *
   * @param amount The share of what it lacks to 1. Defaults to 0.1.
   */
  async reinforce(id: string, amount?: number): Promise<number> {
    return this.#salience("memory.reinforce", id, amount);
  }

  /**
   * Lets a memory matter less, and says how much it does.
   *
   * @param amount The share that is taken away. Defaults to 0.2.
   */
  async deemphasize(id: string, amount?: number): Promise<number> {
    return this.#salience("memory.deemphasize", id, amount);
  }

  /** Notes what a session did with a memory. */
  async linkToSession(id: string, sessionId: string, usage: MemoryUsage): Promise<void> {
    await this.#ask("memory.linkToSession", { id, sessionId, usage });
  }

  /** Marks a memory as deleted: it stays stored, and is no longer found. */
  async delete(id: string): Promise<void> {
    await this.#ask("memory.delete", { id });
  }

  /** Begins a session, or says more of one. */
  async session(session: NewMemorySession): Promise<void> {
    await this.#ask("memory.session", session);
  }

  async #salience(name: string, id: string, amount: number | undefined): Promise<number> {
    const { decay } = this.#settings;
    return (await this.#ask<{ salience: number }>(name, { id, amount, decay })).salience;
  }

  /** Asks, and waits for the documents that are needed. */
  #ask<T>(name: string, options: object): Promise<T> {
    return this.#engine.ask(name, options);
  }

  async #find<T>(name: string, options: Omit<Partial<MemorySearchOptions>, "query" | "projectId" | "limit"> & Asked): Promise<T> {
    const { weights, decay } = this.#settings;
    // Words alone need no vector: nothing is to be embedded, and what is given is left out.
    const isPlain = options.mode === "keyword";
    const asked = { ...options, decay, weights: merged(weights, options.weights) };
    return this.#engine.ask(name, isPlain ? { ...asked, vector: undefined } : asked, isPlain ? undefined : options.query);
  }
}

/** What every search has; it may be `undefined` where a caller left it out. */
interface Asked {
  readonly query: string;
  readonly projectId?: string | undefined;
  readonly limit?: number | undefined;
}

function merged(own: MemoryWeights | undefined, given: MemoryWeights | undefined): MemoryWeights | undefined {
  if (!own || !given) return given ?? own;
  return { ...own, ...given, sectorBoost: { ...own.sectorBoost, ...given.sectorBoost } };
}
