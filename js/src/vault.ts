// The vault recipe: entries of knowledge, ranked by seven signals.

import type { Engine } from "./engine.js";
import type { StoredRecord } from "./types.js";
import type { VaultFeedback, VaultLoaded, VaultMode, VaultResponse, VaultSearchOptions, VaultWeights } from "./vault.types.js";

/** Entries of a vault; reached by `engine.vault`. Every record is one, but those of kind `"memory"`. */
export class Vault<R extends object = StoredRecord> {
  readonly #engine: Pick<Engine, "ask" | "askSync">;

  /** @internal */
  constructor(engine: Pick<Engine, "ask" | "askSync">) {
    this.#engine = engine;
  }

  /**
   * The entries and memories that answer a query. Scan first, and {@link Vault.load} what is worth reading.
   *
   * Where an `embed` function was given and fails, words alone are looked for, and the response says so.
   */
  search<M extends VaultMode = "full">(query: string, options: VaultSearchOptions<M> = {}): Promise<VaultResponse<M, R>> {
    return this.#engine.ask("vault.search", { ...options, query }, query);
  }

  /** Whole entries, in the order of their ids. Where documents are in other files, it is for {@link Engine.withDocuments}. */
  load(ids: string | readonly string[]): VaultLoaded<R> {
    return this.#engine.askSync("vault.load", { ids });
  }

  /** Notes what a person did with an answer, and says what signals count by now. */
  feedback(row: VaultFeedback): VaultWeights {
    return this.#engine.askSync("vault.feedback", row);
  }

  /** What each signal counts, and why. */
  weights(): VaultWeights {
    return this.#engine.askSync("vault.weights", {});
  }
}
