// The calls that a federation makes of each of its vaults. All are asynchronous, so they are the same for an engine in a worker.

import { askedOf, type HostInputs, joined } from "./asked.js";
import type { Engine } from "./engine.js";
import type { StoredRecord } from "./types.js";
import type { VaultFeedback, VaultLoaded, VaultMode, VaultResponse, VaultWeights } from "./vault.types.js";

/** The parts of an engine that a vault uses. */
export type VaultEngine = Pick<Engine, "ask" | "askSync" | "embedding" | "embedQuery" | "withDocuments">;

/** The name and width of a model; the width is `null` where no vector has settled it. */
export type TierModel = readonly [name: string, width: number | null];

/** A vault as a tier of a federation. */
export class TierCalls<R extends object = StoredRecord> {
  readonly #engine: VaultEngine;

  constructor(engine: VaultEngine) {
    this.#engine = engine;
  }

  /** Returns the model that a query is compared with; `null` where the vault has no vectors. */
  async model(model: unknown): Promise<TierModel | null> {
    return this.#engine.withDocuments(() => this.#engine.askSync("vault.model", typeof model === "string" ? { model } : {}));
  }

  /** Embeds a query with the `embed` function of the options, or that of the engine. */
  async vector(query: unknown, options: unknown): Promise<HostInputs> {
    return this.#engine.embedQuery(askedOf(options, this.#engine.embedding), query);
  }

  /** Searches, and returns every candidate. */
  async search<M extends VaultMode>(query: unknown, options: unknown, host: HostInputs): Promise<VaultResponse<M, R>> {
    const asked = askedOf(joined({ query }, options), undefined);
    const inputs = { ...host, made: host.made ?? asked.vector };
    return this.#engine.withDocuments(() => this.#engine.askSync("vault.tier", asked.options, inputs), { signal: asked.signal });
  }

  /** Loads entries. */
  load(ids: unknown, options: unknown): Promise<VaultLoaded<R>> {
    return this.#engine.ask("vault.load", joined({ ids }, options));
  }

  /** Whether a record has this id. */
  async holds(id: unknown): Promise<boolean> {
    if (typeof id !== "string" && !Number.isInteger(id)) return false;
    const [isHeld] = await this.#engine.withDocuments(() => this.#engine.askSync<readonly boolean[]>("vault.holds", { ids: [id] }));
    return isHeld === true;
  }

  /** Records feedback. */
  feedback(row: VaultFeedback, options: unknown): Promise<VaultWeights> {
    const isObject = typeof row === "object" && row !== null;
    return this.#engine.ask("vault.feedback", isObject ? joined(row, options) : row);
  }

  /** Returns the weights. */
  weights(options: unknown): Promise<VaultWeights> {
    return this.#engine.ask("vault.weights", joined({}, options));
  }
}
