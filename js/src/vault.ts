// The vault recipe: entries of knowledge, ranked by seven signals.

import { unlessAborted } from "./abort.js";
import { type Asked, askedOf, type HostInputs, joined, timed } from "./asked.js";
import { embedded, type Embedding } from "./embedding.js";
import { TierCalls, type VaultEngine } from "./tier.js";
import type { Embed, Identified, RecordInput, StoredRecord } from "./types.js";
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

/** `embed` gets at most this many texts per call. */
const TEXTS_PER_CALL = 100;

/** Entries of a vault; reached by `engine.vault`. Every record is an entry, except records of kind `"memory"`. */
export class Vault<R extends object = StoredRecord> {
  readonly #engine: VaultEngine;
  /** Settles when all writes so far have ended. Writes take effect in the order of their calls, however long `embed` takes. */
  #writes: Promise<unknown> = Promise.resolve();

  /** @internal */
  readonly tier: TierCalls<R>;

  /** @internal */
  constructor(engine: VaultEngine) {
    this.#engine = engine;
    this.tier = new TierCalls(engine);
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
    return this.#inOrder(joined({ ids }, options), (asked) => this.#engine.ask("vault.remove", asked));
  }

  /** Links two entries, or changes the link between them. */
  link(from: string | number, to: string | number, options?: VaultLinkOptions): Promise<VaultLinked> {
    return this.#inOrder(joined({ from, to }, options), (asked) => this.#engine.ask("vault.link", asked));
  }

  /** Ends the links from one entry to another: those of one relation, or all. Without such a link there is a warning. */
  unlink(from: string | number, to: string | number, options?: VaultUnlinkOptions): Promise<VaultUnlinked> {
    return this.#inOrder(joined({ from, to }, options), (asked) => this.#engine.ask("vault.unlink", asked));
  }

  /** Records what a person did with a result, and returns the new weights. */
  feedback(row: VaultFeedback): VaultWeights {
    return this.#sync("vault.feedback", row);
  }

  /** Returns the weight of each signal, and the feedback behind it. */
  weights(): VaultWeights {
    return this.#sync("vault.weights", {});
  }

  #sync<T extends object>(name: string, options: unknown): T {
    const began = performance.now();
    const response = this.#engine.askSync<T>(name, options);
    return { ...response, elapsed: performance.now() - began };
  }

  /** Runs a write after all earlier writes. */
  #inOrder<T>(options: unknown, write: (options: unknown) => Promise<T>): Promise<T> {
    const { signal } = askedOf(options, undefined);
    const written = this.#writes.then(() => {
      signal?.throwIfAborted();
      return write(options);
    });
    this.#writes = written.catch(() => {});
    return unlessAborted(written, signal);
  }

  #write<T>(name: "vault.add" | "vault.update", options: unknown): Promise<T> {
    const asked = askedOf(options, this.#engine.embedding);
    const vectors = new TextVectors(asked);
    // Texts are embedded while earlier writes are under way. A fault shows again when it is this write's turn.
    const early = this.#embedMissing(name, asked, vectors).catch(() => {});
    const written = timed(async () => {
      await Promise.all([early, this.#writes]);
      for (;;) {
        asked.signal?.throwIfAborted();
        const outcome = await this.#engine.withDocuments(() => {
          // Nothing waits between this look and the write, so no other write can change a text in between.
          const texts = this.#missing(name, asked, vectors);
          return texts.length > 0 ? { texts } : { response: this.#engine.askSync<T>(name, asked.options, vectors.inputs()) };
        }, { signal: asked.signal });
        if ("response" in outcome) return outcome.response as T;
        await vectors.embed(outcome.texts);
      }
    });
    this.#writes = written.catch(() => {});
    return unlessAborted(written, asked.signal);
  }

  async #embedMissing(name: string, asked: Asked, vectors: TextVectors): Promise<void> {
    const texts = await this.#engine.withDocuments(() => this.#missing(name, asked, vectors), { signal: asked.signal });
    await vectors.embed(texts);
  }

  /** Returns the texts of a write that have no vector and were not embedded yet. */
  #missing(name: string, asked: Asked, vectors: TextVectors): readonly string[] {
    if (!asked.embed || asked.vector) return [];
    const found = this.#engine.askSync<{ texts: readonly string[]; width: number | null }>(`${name}.texts`, asked.options);
    vectors.width ??= found.width ?? undefined;
    return found.texts.filter((text) => !vectors.has(text));
  }
}

/** The vectors of the texts of one write. */
class TextVectors {
  readonly #embed: Embed | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #given: Float32Array | undefined;
  readonly #made = new Map<string, Embedding>();
  /** The number of numbers in a vector; `undefined` where no vector has settled it. */
  width: number | undefined;

  constructor({ embed, signal, vector }: Asked) {
    this.#embed = embed;
    this.#signal = signal;
    this.#given = vector;
  }

  has(text: string): boolean {
    return this.#made.has(text);
  }

  async embed(texts: readonly string[]): Promise<void> {
    for (let start = 0; this.#embed && start < texts.length; start += TEXTS_PER_CALL) {
      const batch = texts.slice(start, start + TEXTS_PER_CALL);
      const made = await embedded(batch, this.#embed, { width: this.width, signal: this.#signal });
      batch.forEach((text, place) => this.#made.set(text, made[place]!));
      this.width ??= made.find(({ vector }) => vector)?.vector?.length;
    }
  }

  inputs(): HostInputs {
    if (this.#given || this.#made.size === 0) return { made: this.#given };
    const made = [...this.#made.values()];
    return {
      made: Float32Array.from(made.flatMap(({ vector }) => (vector ? Array.from(vector) : []))),
      byEmbed: true,
      texts: [...this.#made.keys()],
      failures: made.map(({ failure }) => failure ?? null),
    };
  }
}
