// The memory recipe: how does an assistant remember?

import { unlessAborted } from "./abort.js";
import { askedOf, isOptions, joined, timed } from "./asked.js";
import type { Engine } from "./engine.js";
import { SnapseekError } from "./errors.js";
import { checkArguments, forms } from "./host-options.js";
import type {
  Memory,
  MemoryCallOptions,
  MemoryChanges,
  MemoryDocumentOptions,
  MemoryDocumentResult,
  MemoryFtsOptions,
  MemoryFtsResult,
  MemoryResponse,
  MemoryResult,
  MemorySearchOptions,
  MemorySession,
  MemorySettings,
  MemoryUpdateOptions,
  MemoryUsage,
  MemoryVectorOptions,
  MemoryVectorResult,
  MemoryWritten,
  NewMemory,
  NewMemorySession,
  SessionContext,
  TimelineResult,
} from "./memory.types.js";

/** Memories, their sessions and relationships; reached by `engine.memory`. Memories are records of kind `"memory"`. */
export class MemoryRecipe {
  readonly #engine: Engine<object>;
  /** By id, the update that was asked for last: the next one waits for it, so that the last one asked for wins. */
  readonly #updates = new Map<string, Promise<unknown>>();

  /** @internal */
  constructor(engine: Engine<object>) {
    this.#engine = engine;
  }

  /** Replaces the settings that hold for all calls of this engine. Absent settings have their defaults. */
  configure(settings: MemorySettings): void {
    this.#engine.askSync("memory.configure", settings);
  }

  /**
   * Returns the best memories for a query, and reinforces them, unless `track` is `false`.
   *
   * Where an `embed` function was given, here or to `open`, it makes the vector of the query. Without a usable vector the
   * search uses keywords alone and the response is `degraded`; with `strict: true` that is an error.
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
   * Returns the best documents for a query, each by its best chunk. Documents are records of kind `"document"`.
   *
   * @param options The project of the documents, or an object of options.
   * @param limit The number of documents. Defaults to 10.
   */
  searchDocuments(
    query: string,
    options?: string | MemoryDocumentOptions,
    limit?: number,
  ): Promise<MemoryResponse<MemoryDocumentResult>> {
    return this.#find("memory.searchDocuments", queryOptions(query, options, limit));
  }

  /**
   * Returns the memories that contain a word which starts like a word of the query, by FTS5's rank.
   *
   * @param options The project of the memories, or an object of options.
   * @param limit The number of memories. Defaults to 20.
   */
  searchFts(query: string, options?: string | MemoryFtsOptions, limit?: number): Promise<MemoryResponse<MemoryFtsResult>> {
    return this.#engine.ask("memory.searchFts", queryOptions(query, options, limit));
  }

  /**
   * Returns the memories whose vectors are nearest to that of the query.
   *
   * @param options The project of the memories, or an object of options.
   * @param limit The number of memories. Defaults to 20.
   */
  searchVector(
    query: string,
    options?: string | MemoryVectorOptions,
    limit?: number,
  ): Promise<MemoryResponse<MemoryVectorResult>> {
    return this.#find("memory.searchVector", queryOptions(query, options, limit));
  }

  /**
   * Returns a memory as it is now, deleted ones included; `undefined` where there is none with this id. With the setting
   * `decay` its salience has faded.
   */
  async get(id: string | number, options?: MemoryCallOptions): Promise<Memory | undefined> {
    const found = await this.#engine.ask<{ readonly memory: Memory | null }>("memory.get", joined({ id }, options));
    return found.memory ?? undefined;
  }

  /**
   * Returns the memories of the same project before and after a memory.
   *
   * @param before The number of memories before it, at most. Defaults to 5.
   * @param after The number of memories after it, at most. Defaults to 5.
   */
  async timeline(id: string | number, before?: number, after?: number, options?: MemoryCallOptions): Promise<TimelineResult> {
    const found = await this.#engine.ask<Omit<TimelineResult, "sessions"> & { readonly sessions: readonly MemorySession[] }>(
      "memory.timeline",
      joined({ id, before, after }, options),
    );
    return { ...found, sessions: new Map(found.sessions.map((session) => [session.id, session])) };
  }

  /** Returns the session that used a memory last, and how; `null` where no session has used it. */
  sessionContext(id: string | number, options?: MemoryCallOptions): Promise<SessionContext | null> {
    return this.#engine.ask("memory.sessionContext", joined({ id }, options));
  }

  /**
   * Creates a memory. Where `embed` fails, the memory has no vector and the response is `degraded`.
   *
   * @param projectId The project. Defaults to the `projectId` of the memory.
   * @param sessionId The session that creates it. Defaults to the `sessionId` of the memory.
   */
  async create(
    memory: NewMemory,
    projectId?: string,
    sessionId?: string,
    options?: MemoryCallOptions,
  ): Promise<MemoryWritten> {
    const named = { ...(projectId !== undefined && { projectId }), ...(sessionId !== undefined && { sessionId }) };
    const asked = isOptions(memory) ? joined({ ...memory, ...named }, options) : memory;
    return this.#write("memory.create", asked);
  }

  /**
   * Changes fields of a memory; `null` removes a field that a memory may lack. Where its text changes, the memory is indexed
   * and embedded again; otherwise it keeps its vector.
   *
   * Updates of one memory run one after the other, in the order of the calls.
   */
  async update(id: string | number, fields: MemoryChanges, options?: MemoryUpdateOptions): Promise<MemoryWritten> {
    checkArguments({ fields }, { fields: forms.object }, ["fields"]);
    const { id: other = id } = fields as { readonly id?: unknown };
    if (String(other) !== String(id)) throw new SnapseekError("option/id", "id: the id of a memory cannot be changed");
    const asked = joined({ ...fields, id }, options);
    const { signal } = askedOf(asked, undefined);
    const before = this.#updates.get(String(id));
    const update = (before ?? Promise.resolve()).then(() => this.#write("memory.update", asked));
    const done = update.catch(() => {}).then(() => {
      if (this.#updates.get(String(id)) === done) this.#updates.delete(String(id));
    });
    this.#updates.set(String(id), done);
    return unlessAborted(update, signal);
  }

  /** Marks a memory as superseded from now on, and links the new memory to it. */
  async supersede(oldId: string | number, newId: string | number, options?: MemoryCallOptions): Promise<void> {
    await this.#engine.ask("memory.supersede", joined({ oldId, newId }, options));
  }

  /**
   * Relates two memories.
   *
   * @param type The type of the relationship. Defaults to `"RELATED_TO"`.
   */
  async relate(
    sourceId: string | number,
    targetId: string | number,
    type?: string,
    options?: MemoryCallOptions & { /** When it ends. Defaults to never. */ readonly validUntil?: number | string | Date },
  ): Promise<void> {
    await this.#engine.ask("memory.relate", joined({ sourceId, targetId, type }, options));
  }

  /**
   * Moves the salience of a memory towards 1, and returns the new salience.
   *
   * @param amount The share of the distance to 1, 0 to 1. Defaults to 0.1.
   */
  reinforce(id: string | number, amount?: number, options?: MemoryCallOptions): Promise<number> {
    return this.#changeSalience("memory.reinforce", joined({ id, amount }, options));
  }

  /**
   * Lowers the salience of a memory, and returns the new salience.
   *
   * @param amount The share of the salience, 0 to 1. Defaults to 0.2.
   */
  deemphasize(id: string | number, amount?: number, options?: MemoryCallOptions): Promise<number> {
    return this.#changeSalience("memory.deemphasize", joined({ id, amount }, options));
  }

  /** Records that a session used a memory. */
  async linkToSession(
    id: string | number,
    sessionId: string | number,
    usage: MemoryUsage,
    options?: MemoryCallOptions,
  ): Promise<void> {
    await this.#engine.ask("memory.linkToSession", joined({ id, sessionId, usage }, options));
  }

  /** Marks a memory as deleted: it stays stored, and searches do not find it any more. */
  async delete(id: string | number, options?: MemoryCallOptions): Promise<void> {
    await this.#engine.ask("memory.delete", joined({ id }, options));
  }

  /** Begins a session, or adds fields to one. */
  async session(session: NewMemorySession, options?: MemoryCallOptions): Promise<void> {
    await this.#engine.ask("memory.session", isOptions(session) ? joined(session, options) : session);
  }

  async #changeSalience(name: string, asked: unknown): Promise<number> {
    return (await this.#engine.ask<{ readonly salience: number }>(name, asked)).salience;
  }

  /** Searches. Keywords alone need no vector. */
  #find<T>(name: string, asked: unknown): Promise<T> {
    const { mode, query } = Object(asked) as { readonly mode?: unknown; readonly query?: unknown };
    return this.#engine.ask(name, asked, mode === "keyword" ? undefined : query);
  }

  /** Writes a memory, and embeds its text before, where there is an `embed` function and the write needs a new vector. */
  #write(name: "memory.create" | "memory.update", given: unknown): Promise<MemoryWritten> {
    const asked = askedOf(given, this.#engine.embedding);
    if (!asked.embed || asked.vector) return this.#engine.ask(name, given);
    return timed(async () => {
      const { EmbeddedWrite } = await import("./on-demand.js");
      return new EmbeddedWrite(this.#engine, name, asked).run();
    });
  }
}

/** The options of `searchFts(query, projectId, limit)` and `searchFts(query, options)`. */
function queryOptions(query: unknown, options: unknown, limit: unknown): unknown {
  return joined({ query, limit }, options === undefined || isOptions(options) ? options : { projectId: options });
}
