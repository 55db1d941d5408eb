import type { Stages } from "./recipe.types.js";
import type { Embed, Explain, Filter, StoredRecord } from "./types.js";

/** How much comes back of each result: what is needed to choose, or the whole entry and what made its score. */
export type VaultMode = "scan" | "full";

/** What a vault can be asked. */
export interface VaultSearchOptions<M extends VaultMode = VaultMode> extends Omit<Stages, "maxTokens"> {
  /** How much comes back of each result. Defaults to `"full"`. */
  readonly mode?: M | undefined;
  /**
   * How many results, 1 to 1000. Defaults to 10. Where fewer than fifty entries could be results and this would drop more
   * than half of them, all come back.
   */
  readonly limit?: number | undefined;
  /** Entries of this domain rank higher; `filter.domain` filters. */
  readonly domain?: string | undefined;
  /** Entries with these tags rank higher; `filter.tags` filters. */
  readonly tags?: string | readonly string[] | undefined;
  /** Conditions on attributes. */
  readonly filter?: Filter | undefined;
  /** Whether entries whose `validUntil` has passed may be found. Defaults to `false`. */
  readonly includeExpired?: boolean | undefined;
  /** Whether entries whose `validFrom` lies ahead may be found. Defaults to `false`. */
  readonly includeUpcoming?: boolean | undefined;
  /** Whether records of kind `"memory"` join the entries. Defaults to `true`. */
  readonly memories?: boolean | undefined;
  /** Results end before their texts have more tokens than this, estimated; the first always comes back. */
  readonly maxTokens?: number | undefined;
  /** Whether results explain their scores. Defaults to `false`. */
  readonly explain?: boolean | undefined;
  /** The time to reckon ages from, in milliseconds since 1970. Defaults to now. */
  readonly now?: number | undefined;
  /** The query's vector. */
  readonly vector?: ArrayLike<number> | undefined;
  /** Embeds the query. Defaults to what `open` was given, then to the snapshot's own embedder. */
  readonly embed?: Embed | undefined;
  /** Whose vectors are compared. Defaults to the schema's first model. */
  readonly model?: string | undefined;
}

/** A number for each signal. */
export interface VaultSignals {
  /** How alike the terms of the query and the entry are: the cosine of their TF-IDF vectors. */
  readonly semantic: number;
  /** How near its vector is. */
  readonly vector: number;
  /** How severe it is: critical 1, warning 0.7, others 0.4. */
  readonly severity: number;
  /** What age and validity leave of it. */
  readonly temporalDecay: number;
  /** What it shares of the tags that were asked for. */
  readonly tagOverlap: number;
  /** 1 in the domain that was asked for. */
  readonly domainMatch: number;
  /** 1/2 with a link to one of the best, 1/3 with two links. */
  readonly graphProximity: number;
}

/** What each signal measured, and the score that they make. */
export interface VaultBreakdown extends VaultSignals {
  readonly total: number;
}

/** What every result tells. */
interface VaultFound {
  readonly id: string;
  /** `"memory"`, or the kind of an entry. */
  readonly kind: string;
  /** How well it fits; a memory has 0.5. */
  readonly score: number;
  /** About how many tokens its texts are. */
  readonly tokenEstimate: number;
  /** How the score was made; with `explain`. */
  readonly explain?: Pick<Explain, "parts" | "factors">;
}

/** A result to choose from. */
export interface VaultScanResult extends VaultFound {
  readonly title: string;
  readonly type: string | null;
  readonly domain: string | null;
  readonly severity: string | null;
  readonly tags: readonly string[];
  /** The first 120 characters of the description, with `...` where there are more. */
  readonly snippet: string;
}

/** A result as a whole. */
export interface VaultFullResult<R extends object = StoredRecord> extends VaultFound {
  readonly entry: R;
  readonly breakdown: VaultBreakdown;
}

/** A result, as much of it as was asked for. */
export type VaultResult<M extends VaultMode, R extends object = StoredRecord> = M extends "scan"
  ? VaultScanResult
  : VaultFullResult<R>;

/** What a vault answers. */
export interface VaultResponse<M extends VaultMode = VaultMode, R extends object = StoredRecord> {
  readonly query: string;
  readonly mode: M;
  /** The MATCH expression that stands for the query. */
  readonly expression: string;
  /** How many candidates each leg gave. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** What each signal counted. */
  readonly weights: VaultSignals;
  /** Whether vectors should have counted and could not. */
  readonly degraded: boolean;
  /** Why. */
  readonly warnings?: readonly string[];
  /** How many entries there were to choose from; beyond fifty, at least so many. */
  readonly candidates: number;
  /** The results, best first. */
  readonly results: readonly VaultResult<M, R>[];
}

/** Whole entries by their ids. */
export interface VaultLoaded<R extends object = StoredRecord> {
  /** In the order in which they were asked for. */
  readonly entries: readonly R[];
  /** The ids that nothing has. */
  readonly missing: readonly string[];
}

/** What a person did with an answer. */
export interface VaultFeedback {
  /** What was asked. */
  readonly query: string;
  /** What was answered. */
  readonly entryId: string | number;
  /** `"failed"` is an error of the system, and does not count. */
  readonly action: "accepted" | "modified" | "dismissed" | "failed";
  /** When, in milliseconds since 1970 or as an ISO 8601 date. Defaults to now. */
  readonly createdAt?: number | string | Date | undefined;
}

/** What each signal counts, and why. */
export interface VaultWeights {
  /** Where nobody has said anything. */
  readonly base: VaultSignals;
  /** By now: from thirty rows of feedback on, they follow what people accept. */
  readonly current: VaultSignals;
  /** How many rows of feedback count. */
  readonly n: number;
  /** What share of answers was accepted; `null` without feedback. */
  readonly accept: number | null;
}

/** What a search of several vaults answers. */
export interface FederationResponse<M extends VaultMode = VaultMode, R extends object = StoredRecord> {
  readonly query: string;
  readonly mode: M;
  /** The tiers by priority, with what their scores were multiplied by, and how many entries they had to choose from. */
  readonly tiers: readonly { readonly name: string; readonly weight: number; readonly candidates: number }[];
  /** Whether one of them was without vectors that should have counted. */
  readonly degraded: boolean;
  /** Why, each with its tier. */
  readonly warnings?: readonly string[];
  /** How many entries there were to choose from; at least so many, where a tier has more than fifty. */
  readonly candidates: number;
  /** The results, best first; each says its tier. */
  readonly results: readonly (VaultResult<M, R> & { readonly tier: string })[];
}
