// Several vaults, searched as one: each is searched on its own, and the results are merged. tests/federation.json holds this file
// and src/recipe/vault/federation.rs to the same cases.

import { type HostInputs, timed } from "./asked.js";
import type { Engine } from "./engine.js";
import { SnapseekError } from "./errors.js";
import { kindOf } from "./host-options.js";
import { formatZodError } from "./primitives.js";
import type { RemoteEngine } from "./remote.js";
import type { Embed, StoredRecord } from "./types.js";
import type { Vault } from "./vault.js";
import type {
  FederationResponse,
  VaultCallOptions,
  VaultFeedback,
  VaultLoaded,
  VaultMode,
  VaultResponse,
  VaultResult,
  VaultSearchOptions,
  VaultWeights,
} from "./vault.types.js";

/** A vault of a federation. */
export interface Tier<R extends object = StoredRecord> {
  /** The name, which results repeat. It is unique in a federation. */
  readonly name: string;
  /** The vault, here or in a worker. */
  readonly engine: Pick<Engine<R> | RemoteEngine<R>, "vault">;
  /**
   * The factor of the scores, 0 or more; a larger weight also means a higher priority. Defaults to 1 for `"agent"`, 0.8 for
   * `"project"`, 0.6 for `"team"`, and 1 for any other name.
   */
  readonly weight?: number | undefined;
}

const WEIGHTS: { readonly [name: string]: number } = { agent: 1, project: 0.8, team: 0.6 };
const DEFAULT_LIMIT = 10;
/** A federation with fewer candidates than this is small. */
const FEW = 50;
/** What a tier may have. */
const TIER_OPTIONS = ["engine", "name", "weight"];

/**
 * Joins vaults. The tier with the largest weight has the highest priority; of equal weights, the tier that was given first.
 *
 * @throws `option/tiers` where there is no tier, or a tier has no engine, no name of its own, or an unusable weight.
 */
export function federation<R extends object = StoredRecord>(tiers: Iterable<Tier<R>>): Federation<R> {
  return new Federation(tiers);
}

type WeightedTier<R extends object> = Tier<R> & { readonly weight: number };

/** Several vaults; made by {@link federation}. */
export class Federation<R extends object = StoredRecord> {
  readonly #tiers: readonly WeightedTier<R>[];

  /** @internal */
  constructor(tiers: Iterable<Tier<R>>) {
    const weighted = checked(tiers).map((tier) => ({ ...tier, weight: tier.weight ?? weightOf(tier.name) }));
    this.#tiers = weighted.sort((a, b) => b.weight - a.weight);
  }

  /**
   * Returns the entries and memories of all tiers that answer a query. If several tiers have an entry, it comes from the tier
   * with the highest priority.
   *
   * The query is embedded once for all tiers with the same model; a tier that cannot use the vector is searched by keywords
   * alone, and `warnings` name it. `fold` and `diversity` apply within each tier.
   */
  search<M extends VaultMode = "full">(query: string, options?: VaultSearchOptions<M>): Promise<FederationResponse<M, R>> {
    return timed(async () => {
      const { embed, ...rest } = Object(options) as VaultSearchOptions<M>;
      const isUsable = typeof embed === "function";
      const inputs = await this.#vectors(query, isUsable ? { ...rest, embed: once(embed) } : options);
      // A tier gets its vector with the call, so `embed` is passed on only where it is at fault.
      const asked = isUsable ? rest : options;
      const search = (tier: Tier<R>, number: number) =>
        vaultOf(tier).tier("search", query, asked, inputs[number]!) as Promise<VaultResponse<M, R>>;
      return this.#merged(rest, await Promise.all(this.#tiers.map(search)));
    });
  }

  /** Embeds the query, once for all tiers with the same model and width. */
  async #vectors(query: unknown, options: unknown): Promise<HostInputs[]> {
    const { model } = Object(options) as { model?: unknown };
    const models = await Promise.all(this.#tiers.map((tier) => vaultOf(tier).tier("model", model)));
    const made = new Map<string, Promise<HostInputs>>();
    const keys = models.map((model) => model && JSON.stringify(model));
    this.#tiers.forEach((tier, number) => {
      const key = keys[number];
      if (!key) return;
      const before = made.get(key) ?? Promise.resolve<HostInputs>({});
      // The first tier that can embed decides, also where its `embed` fails.
      made.set(key, before.then((inputs) => (inputs.byEmbed ? inputs : vaultOf(tier).tier("vector", query, options))));
    });
    const inputs = keys.map((key): HostInputs | Promise<HostInputs> => (key ? made.get(key)! : {}));
    return Promise.all(inputs);
  }

  #merged<M extends VaultMode>(
    options: VaultSearchOptions<M>,
    answers: readonly VaultResponse<M, R>[],
  ): FederationResponse<M, R> {
    const tiers = this.#tiers.map(({ name, weight }, number) => ({ name, weight, candidates: answers[number]!.candidates }));
    const { limit = DEFAULT_LIMIT, maxTokens } = options;
    const merged = merge(tiers.map(({ weight }, number) => ({ weight, results: answers[number]!.results })));
    const pinned: readonly string[] = [options.pinned ?? []].flat();
    const pin = (id: string): number => (pinned.includes(id) ? pinned.indexOf(id) : pinned.length);
    // The sort is stable: results that are not pinned stay in the order of their scores.
    merged.sort((a, b) => pin(a.result.id) - pin(b.result.id));
    const entries = (results: readonly { readonly kind: string }[]) => results.filter(({ kind }) => kind !== "memory").length;
    const repeated = entries(answers.flatMap(({ results }) => results)) - entries(merged.map(({ result }) => result));
    const candidates = tiers.reduce((sum, tier) => sum + tier.candidates, 0) - repeated;
    const page = keepsAll(candidates, limit) ? merged : merged.slice(0, limit);
    const costs = page.map(({ result }) => result.tokenEstimate);
    const kept = page.slice(0, maxTokens === undefined ? page.length : withinBudget(costs, maxTokens));
    const warnings = answers.flatMap((answer, tier) => answer.warnings.map((warning) => `${tiers[tier]!.name}: ${warning}`));
    const response: Omit<FederationResponse<M, R>, "elapsed"> = {
      query: answers[0]!.query,
      mode: answers[0]!.mode,
      tiers,
      degraded: answers.some(({ degraded }) => degraded),
      warnings,
      candidates,
      results: kept.map(({ tier, result, score }) => ofTier(result, tiers[tier]!, score)),
    };
    return response as FederationResponse<M, R>;
  }

  /** Returns whole records in the order of their ids, each from the first tier that has it. */
  load(ids: string | number | readonly (string | number)[], options?: VaultCallOptions): Promise<VaultLoaded<R>> {
    return timed(async () => {
      const found = new Map<string, R>();
      let wanted: readonly (string | number)[] = [ids].flat();
      let asked: unknown = ids;
      for (const tier of this.#tiers) {
        const { entries, missing } = await vaultOf(tier).tier("load", asked, options);
        const here = wanted.map(String).filter((id) => !missing.includes(id));
        here.forEach((id, place) => found.set(id, entries[place]!));
        asked = wanted = missing;
        if (missing.length === 0) break;
      }
      const all = [ids].flat().map(String);
      const entries = all.flatMap((id) => found.get(id) ?? []);
      const loaded: Omit<VaultLoaded<R>, "elapsed"> = {
        entries,
        missing: all.filter((id) => !found.has(id)),
        degraded: false,
        warnings: [],
      };
      return loaded as VaultLoaded<R>;
    });
  }

  /**
   * Records what a person did with a result, in the first tier that has the entry, or else in the first tier. Returns the new
   * weights of that tier.
   */
  async feedback(row: VaultFeedback, options?: VaultCallOptions): Promise<VaultWeights> {
    const { entryId } = Object(row) as Partial<VaultFeedback>;
    for (const tier of this.#tiers) {
      if (await vaultOf(tier).tier("holds", entryId)) return vaultOf(tier).tier("feedback", row, options);
    }
    return vaultOf(this.#tiers[0]!).tier("feedback", row, options);
  }

  /** Returns, by the names of the tiers, the weight of each signal and the feedback behind it. */
  async weights(options?: VaultCallOptions): Promise<{ readonly [tier: string]: VaultWeights }> {
    const weights = this.#tiers.map(async (tier) => [tier.name, await vaultOf(tier).tier("weights", options)] as const);
    return Object.fromEntries(await Promise.all(weights));
  }
}

/** Returns the tiers, or throws one error for all faults. */
function checked<R extends object>(tiers: Iterable<Tier<R>>): readonly Tier<R>[] {
  const fail = (issues: readonly { path: (string | number)[]; message: string }[]): never => {
    throw new SnapseekError("option/tiers", formatZodError({ issues }));
  };
  if (typeof tiers !== "object" || tiers === null || !(Symbol.iterator in tiers)) {
    return fail([{ path: ["tiers"], message: `must be an array of tiers, not ${kindOf(tiers)}` }]);
  }
  const all = Array.from(tiers);
  const issues: { path: (string | number)[]; message: string }[] = [];
  const names = new Set<unknown>();
  if (all.length === 0) issues.push({ path: ["tiers"], message: "must have at least one tier" });
  all.forEach((tier: unknown, number) => {
    const complain = (message: string, ...path: string[]) => void issues.push({ path: ["tiers", number, ...path], message });
    if (typeof tier !== "object" || tier === null || Array.isArray(tier)) return complain(`must be an object, not ${kindOf(tier)}`);
    const { name, engine, weight } = tier as Partial<Tier>;
    if (typeof name !== "string" || name === "") complain(`must be a name, not ${kindOf(name)}`, "name");
    else if (names.has(name)) complain(`another tier has the name "${name}"`, "name");
    names.add(name);
    // An engine in a worker is a proxy that can be called.
    const isEngine = (typeof engine === "object" || typeof engine === "function") && engine !== null && engine.vault !== undefined;
    if (!isEngine) complain(`must be an engine, not ${kindOf(engine)}`, "engine");
    if (weight !== undefined && !(Number.isFinite(weight) && weight >= 0)) complain(`must be 0 or more, not ${kindOf(weight)}`, "weight");
    for (const option of Object.keys(tier).filter((option) => !TIER_OPTIONS.includes(option))) {
      complain(`unknown option; the options are ${TIER_OPTIONS.join(", ")}`, option);
    }
  });
  return issues.length > 0 ? fail(issues) : all;
}

/** Returns the vault of a tier. One in a worker is called in the same way, but its type has lost the types of each call. */
function vaultOf<R extends object>({ engine }: Tier<R>): Vault<R> {
  return engine.vault as Vault<R>;
}

/** Returns the default weight of a tier. */
function weightOf(name: string): number {
  return Object.hasOwn(WEIGHTS, name) ? WEIGHTS[name]! : 1;
}

/** Returns a function that embeds one query, however many tiers ask for it. */
function once(embed: Embed): Embed {
  let vectors: ReturnType<Embed> | undefined;
  return (texts) => (vectors ??= Promise.resolve().then(() => embed(texts)));
}

function ofTier<M extends VaultMode, R extends object>(
  result: VaultResult<M, R>,
  { name: tier, weight }: { readonly name: string; readonly weight: number },
  score: number,
): VaultResult<M, R> & { readonly tier: string } {
  const { explain } = result;
  const factors = [...(explain?.factors ?? []), { name: "tier", value: weight }];
  const changed = { score, tier, ...(explain && { explain: { ...explain, factors } }) };
  return Object.assign({}, result, changed);
}

/**
 * Merges the results of tiers. A score is multiplied by the weight of its tier. If several tiers have the same id and kind, the
 * result of the tier with the largest weight stays. The best scores come first.
 *
 * @internal
 */
export function merge<T extends { readonly id: string; readonly kind: string; readonly score: number }>(
  tiers: readonly { readonly weight: number; readonly results: readonly T[] }[],
): { readonly tier: number; readonly place: number; readonly result: T; readonly score: number }[] {
  const kept = new Set<string>();
  const byPriority = tiers.map((tier, number) => ({ ...tier, number })).sort((a, b) => b.weight - a.weight);
  const merged = byPriority.flatMap(({ weight, results, number }) =>
    results.flatMap((result, place) => {
      const key = JSON.stringify([result.id, result.kind]);
      if (kept.has(key)) return [];
      kept.add(key);
      return [{ tier: number, place, result, score: result.score * weight }];
    }),
  );
  return merged.sort((a, b) => b.score - a.score);
}

/**
 * Whether all candidates become results: there are few, and the limit would drop more than half of them.
 *
 * @internal
 */
export function keepsAll(candidates: number, limit: number): boolean {
  return candidates < FEW && 2 * Math.max(0, candidates - limit) > candidates;
}

/**
 * Returns how many of the first results cost no more than `most` together; the first is always kept.
 *
 * @internal
 */
export function withinBudget(costs: readonly number[], most: number): number {
  let spent = 0;
  const end = costs.findIndex((cost, place) => (spent += cost) > most && place > 0);
  return end < 0 ? costs.length : end;
}
