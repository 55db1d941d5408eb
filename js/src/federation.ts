// Several vaults, asked as one: each is searched on its own, and what they give is merged. tests/federation.json holds
// this file and src/recipe/federation.rs to the same cases.

import type { Engine } from "./engine.js";
import type { RemoteEngine } from "./remote.js";
import type { Embed, StoredRecord } from "./types.js";
import type {
  FederationResponse,
  VaultFeedback,
  VaultLoaded,
  VaultMode,
  VaultResponse,
  VaultResult,
  VaultSearchOptions,
  VaultWeights,
} from "./vault.types.js";

/** A vault among others. */
export interface Tier<R extends object = StoredRecord> {
  /** What results say they are from. */
  readonly name: string;
  /** The vault, here or in a worker. */
  readonly engine: Pick<Engine<R> | RemoteEngine<R>, "vault">;
  /**
   * What its scores are multiplied by: the more, the higher its priority. Defaults to 1 for `"agent"`, 0.8 for `"project"`,
   * 0.6 for `"team"`, and 1 for others.
   */
  readonly weight?: number | undefined;
}

const WEIGHTS: { readonly [name: string]: number } = { agent: 1, project: 0.8, team: 0.6 };
const DEFAULT_LIMIT = 10;
/** Fewer candidates than this are few. */
const FEW = 50;

/** Several vaults, asked as one. The tier that counts most has the highest priority; of equals, the one given first. */
export function federation<R extends object = StoredRecord>(tiers: Iterable<Tier<R>>): Federation<R> {
  return new Federation(tiers);
}

/** Several vaults; made by {@link federation}. */
export class Federation<R extends object = StoredRecord> {
  readonly #tiers: readonly (Tier<R> & { readonly weight: number })[];

  /** @internal */
  constructor(tiers: Iterable<Tier<R>>) {
    const weighed = Array.from(tiers, (tier) => ({ ...tier, weight: tier.weight ?? weightOf(tier.name) }));
    this.#tiers = weighed.sort((a, b) => b.weight - a.weight);
  }

  /** The entries and memories of all tiers that answer a query. Of an entry that several have, it is the first one's. */
  async search<M extends VaultMode = "full">(query: string, options: VaultSearchOptions<M> = {}): Promise<FederationResponse<M, R>> {
    const { maxTokens, embed, ...rest } = options;
    const asked = { ...rest, ...(embed && { embed: once(embed) }), all: true };
    const search = ({ engine }: Tier<R>) => engine.vault.search(query, asked) as Promise<VaultResponse<M, R>>;
    const answers = await Promise.all(this.#tiers.map(search));
    const tiers = this.#tiers.map(({ name, weight }, number) => ({ name, weight, candidates: answers[number]!.candidates }));
    const merged = merge(tiers.map(({ weight }, number) => ({ weight, results: answers[number]!.results })));
    const entries = (results: readonly { readonly kind: string }[]) => results.filter(({ kind }) => kind !== "memory").length;
    const repeated = entries(answers.flatMap(({ results }) => results)) - entries(merged.map(({ result }) => result));
    const candidates = tiers.reduce((sum, tier) => sum + tier.candidates, 0) - repeated;
    const limit = options.limit ?? DEFAULT_LIMIT;
    const page = keepsAll(candidates, limit) ? merged : merged.slice(0, limit);
    const costs = page.map(({ result }) => result.tokenEstimate);
    const kept = page.slice(0, maxTokens === undefined ? page.length : withinBudget(costs, maxTokens));
    const warnings = answers.flatMap((answer, tier) => (answer.warnings ?? []).map((warning) => `${tiers[tier]!.name}: ${warning}`));
    return {
      query,
      mode: options.mode ?? ("full" as M),
      tiers,
      degraded: warnings.length > 0,
      ...(warnings.length > 0 && { warnings }),
      candidates,
      results: kept.map(({ tier, result, score }) => ofTier(result, tiers[tier]!, score)),
    };
  }

  /** Whole entries, in the order of their ids, each from the first tier that has it. */
  async load(ids: string | readonly string[]): Promise<VaultLoaded<R>> {
    const asked = typeof ids === "string" ? [ids] : ids;
    const found = new Map<string, R>();
    for (const { engine } of this.#tiers) {
      const wanted = asked.filter((id) => !found.has(id));
      const { entries, missing } = (await engine.vault.load(wanted)) as VaultLoaded<R>;
      wanted.filter((id) => !missing.includes(id)).forEach((id, place) => found.set(id, entries[place]!));
    }
    return { entries: asked.flatMap((id) => found.get(id) ?? []), missing: asked.filter((id) => !found.has(id)) };
  }

  /** Notes what a person did with an answer, in the first tier that has the entry; where none has, in the first. */
  async feedback(row: VaultFeedback): Promise<VaultWeights | undefined> {
    for (const { engine } of this.#tiers) {
      if ((await engine.vault.load([String(row.entryId)])).entries.length > 0) return engine.vault.feedback(row);
    }
    return this.#tiers[0]?.engine.vault.feedback(row);
  }

  /** By the tiers' names, what each signal counts there, and why. */
  async weights(): Promise<{ readonly [tier: string]: VaultWeights }> {
    const weights = this.#tiers.map(async ({ name, engine }) => [name, await engine.vault.weights()] as const);
    return Object.fromEntries(await Promise.all(weights));
  }
}

/** What results of a tier of this name count. */
function weightOf(name: string): number {
  return Object.hasOwn(WEIGHTS, name) ? WEIGHTS[name]! : 1;
}

/** A function that embeds one query, however many tiers ask for it. */
function once(embed: Embed): Embed {
  let vectors: ReturnType<Embed> | undefined;
  return (texts) => (vectors ??= embed(texts));
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
 * Merges the results of tiers: a score is multiplied by what its tier counts, of one key in several tiers the version of
 * the tier that counts most stays, and the best come first.
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
 * Whether all of so many candidates are results: where there are few, and the limit would drop more than half.
 *
 * @internal
 */
export function keepsAll(candidates: number, limit: number): boolean {
  return candidates < FEW && 2 * Math.max(0, candidates - limit) > candidates;
}

/**
 * How many of the first results cost no more than `most` together; the first is always kept.
 *
 * @internal
 */
export function withinBudget(costs: readonly number[], most: number): number {
  let spent = 0;
  const end = costs.findIndex((cost, place) => (spent += cost) > most && place > 0);
  return end < 0 ? costs.length : end;
}
