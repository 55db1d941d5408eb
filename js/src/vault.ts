// The vault recipe: entries of knowledge, ranked by seven signals.

import { unlessAborted } from "./abort.js";
import { askedOf, joined, timed, timedSync } from "./asked.js";
import type { TierCalls, VaultEngine } from "./tier.js";
import type { Identified, RecordInput, StoredRecord } from "./types.js";
import type {
  VaultFeedback,
  VaultFields,
  VaultLinked,
  VaultLinkOptions,
  VaultLoaded,
  VaultMode,
  VaultRemoved,
  VaultRemoveOptions,
  VaultResponse,
  VaultSearchOptions,
  VaultUnlinked,
  VaultUnlinkOptions,
  VaultUpdated,
  VaultWeights,
  VaultWriteOptions,
  VaultWritten,
} from "./vault.types.js";

/** Entries of a vault; reached by `engine.vault`. Every record is an entry, except records of kind `"memory"`. */
export class Vault<R extends object = StoredRecord> {
  readonly #engine: VaultEngine;
  /** Settles when all writes so far have ended. Writes take effect in the order of their calls, however long `embed` takes. */
  #writes: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(engine: VaultEngine) {
    this.#engine = engine;
  }

  /**
   * Returns the entries and memories that answer a query, best first. Scan first, then {@link Vault.load} the entries worth
   * reading.
   *
   * If `embed` makes no usable vector, the search uses keywords alone and the response is `degraded`; with `strict: true` that
   * is an error.
   */
  search<M extends VaultMode = "full">(query: string, options?: VaultSearchOptions<M>): Promise<VaultResponse<M, R>> {
    return this.#engine.ask("vault.search", joined({ query }, options), query);
  }

  /**
   * Returns whole records in the order of their ids. Where stored documents are in other files, call it within
   * {@link Engine.withDocuments}.
   */
  load(ids: string | number | readonly (string | number)[]): VaultLoaded<R> {
    return this.#sync("vault.load", { ids });
  }

  /**
   * Adds entries, all or none. An entry with the id of another replaces it. `createdAt` and `updatedAt` are set where an entry
   * has none.
   *
   * An entry whose embedded text did not change keeps its vector. The texts of the others are embedded with `embed`, of the
   * options or of `open`. The response names the entries without a vector in `warnings`; with `strict: true` that is an error,
   * and nothing is written.
   */
  add(entries: RecordInput | Identified | readonly (RecordInput | Identified)[], options?: VaultWriteOptions): Promise<VaultWritten> {
    return this.#write("vault.add", joined({ entries }, options));
  }

  /**
   * Changes fields of an entry, and sets `updatedAt`. A field whose value is `null` is removed. The entry keeps its vector
   * unless its embedded text changed, as {@link Vault.add} says.
   */
  update(id: string | number, fields: VaultFields, options?: VaultWriteOptions): Promise<VaultUpdated<R>> {
    return this.#write("vault.update", joined({ id, fields }, options));
  }

  /** Removes entries, and ends their links. An id that no entry has is a warning. */
  remove(ids: string | number | readonly (string | number)[], options?: VaultRemoveOptions): Promise<VaultRemoved> {
    return this.#ask("vault.remove", joined({ ids }, options));
  }

  /** Links two entries, or changes the link between them. */
  link(from: string | number, to: string | number, options?: VaultLinkOptions): Promise<VaultLinked> {
    return this.#ask("vault.link", joined({ from, to }, options));
  }

  /** Ends the links from one entry to another: those of one relation, or all. Without such a link there is a warning. */
  unlink(from: string | number, to: string | number, options?: VaultUnlinkOptions): Promise<VaultUnlinked> {
    return this.#ask("vault.unlink", joined({ from, to }, options));
  }

  /** Records what a person did with a result, and returns the new weights. */
  feedback(row: VaultFeedback): VaultWeights {
    return this.#sync("vault.feedback", row);
  }

  /** Returns the weight of each signal, and the feedback behind it. */
  weights(): VaultWeights {
    return this.#sync("vault.weights", {});
  }

  /**
   * Makes a call of a federation.
   *
   * @internal
   */
  async tier<Name extends keyof TierCalls<R>>(
    name: Name,
    ...args: Parameters<TierCalls<R>[Name]>
  ): Promise<Awaited<ReturnType<TierCalls<R>[Name]>>> {
    const { TierCalls } = await import("./on-demand.js");
    const calls = new TierCalls<R>(this.#engine);
    return (calls[name] as Function).apply(calls, args) as Promise<Awaited<ReturnType<TierCalls<R>[Name]>>>;
  }

  #sync<T extends object>(name: string, options: unknown): T {
    return timedSync(() => this.#engine.askSync<T>(name, options));
  }

  /** Runs a write after all earlier writes. */
  #inOrder<T>(options: unknown, write: () => Promise<T>): Promise<T> {
    const { signal } = askedOf(options, undefined);
    const written = this.#writes.then(() => {
      signal?.throwIfAborted();
      return write();
    });
    this.#writes = written.catch(() => {});
    return timed(() => unlessAborted(written, signal));
  }

  /** Runs a write that embeds nothing. */
  #ask<T>(name: string, options: unknown): Promise<T> {
    return this.#inOrder(options, () => this.#engine.ask(name, options));
  }

  #write<T>(name: "vault.add" | "vault.update", options: unknown): Promise<T> {
    const asked = askedOf(options, this.#engine.embedding);
    if (!asked.embed || asked.vector) return this.#ask(name, options);
    const write = import("./on-demand.js").then(({ EmbeddedWrite }) => new EmbeddedWrite(this.#engine, name, asked));
    // Texts are embedded while earlier writes are under way. A fault shows again when it is this write's turn.
    const prepared = write.then((one) => one.prepare()).catch(() => {});
    return this.#inOrder(options, async () => {
      await prepared;
      return (await write).run();
    });
  }
}
