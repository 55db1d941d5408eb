import type { Stages } from "./recipe.types.js";
import type { Embed, Explain, Filter, StoredRecord } from "./types.js";

/** How much of each result comes back: the fields that a reader needs to choose, or the whole entry and its breakdown. */
export type VaultMode = "scan" | "full";

/** A moment: milliseconds since 1970, an ISO 8601 date, or a `Date`. */
type Moment = number | string | Date;

/** An option of every asynchronous call. */
export interface VaultCallOptions {
  /** Ends the call while it waits; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of `vault.search`. */
export interface VaultSearchOptions<M extends VaultMode = VaultMode> extends Omit<Stages, "maxTokens">, VaultCallOptions {
  /** How much of each result comes back. Defaults to `"full"`. */
  readonly mode?: M | undefined;
  /**
   * The number of results, 1 to 1000. Defaults to 10. If fewer than fifty entries match and the limit would drop more than half
   * of them, all of them come back.
   */
  readonly limit?: number | undefined;
  /** The domain whose entries rank higher. To exclude others, use `filter.domain`. */
  readonly domain?: string | undefined;
  /** The tags whose entries rank higher. To exclude others, use `filter.tags`. */
  readonly tags?: string | readonly string[] | undefined;
  /** Conditions on attributes. */
  readonly filter?: Filter | undefined;
  /** Also finds entries whose `validUntil` has passed. Defaults to `false`. */
  readonly includeExpired?: boolean | undefined;
  /** Also finds entries whose `validFrom` lies ahead. Defaults to `false`. */
  readonly includeUpcoming?: boolean | undefined;
  /** Whether records of kind `"memory"` join the results. Defaults to `true`. */
  readonly memories?: boolean | undefined;
  /** Ends the page before its texts exceed this many tokens, estimated; the first result always stays. */
  readonly maxTokens?: number | undefined;
  /** Adds an explanation to every result. Defaults to `false`. */
  readonly explain?: boolean | undefined;
  /** The moment that ages count from. Defaults to now. */
  readonly now?: Moment | undefined;
  /** The vector of the query. */
  readonly vector?: ArrayLike<number> | undefined;
  /** Embeds the query. Defaults to the `embed` of `open`, then to the snapshot's own embedder. */
  readonly embed?: Embed | undefined;
  /** The model whose vectors are compared. Defaults to the schema's first model. */
  readonly model?: string | undefined;
  /** Makes it an error where the snapshot has vectors and the query has no usable one. Defaults to `false`. */
  readonly strict?: boolean | undefined;
}

/** A number for each signal. */
export interface VaultSignals {
  /** The cosine of the TF-IDF vectors of query and entry. */
  readonly semantic: number;
  /** The similarity of the vectors, at least 0. */
  readonly vector: number;
  /** The severity: critical 1, warning 0.7, any other 0.4. */
  readonly severity: number;
  /** The share that age and validity leave, 0 to 1. */
  readonly temporalDecay: number;
  /** The Jaccard index of the entry's tags and the option `tags`. */
  readonly tagOverlap: number;
  /** 1 if the entry is in the domain of the option `domain`, otherwise 0. */
  readonly domainMatch: number;
  /** 1/2 if one link away from one of the five best entries, 1/3 if two. */
  readonly graphProximity: number;
}

/** The value of each signal, and the score. */
export interface VaultBreakdown extends VaultSignals {
  readonly total: number;
}

/** The fields of every result. */
interface VaultFound {
  readonly id: string;
  /** `"memory"`, or the kind of the entry. */
  readonly kind: string;
  /** The score: higher is better. A memory has 0.5. */
  readonly score: number;
  /** The estimated number of tokens of the texts. */
  readonly tokenEstimate: number;
  /** The explanation of the score; with `explain`. */
  readonly explain?: Explain;
}

/** A result to choose from. */
export interface VaultScanResult extends VaultFound {
  readonly title: string;
  readonly type: string | null;
  readonly domain: string | null;
  readonly severity: string | null;
  readonly tags: readonly string[];
  /** The first 120 characters of the description, with `...` if it is longer. */
  readonly snippet: string;
}

/** A whole result. */
export interface VaultFullResult<R extends object = StoredRecord> extends VaultFound {
  readonly entry: R;
  readonly breakdown: VaultBreakdown;
}

/** A result in the form of its mode. */
export type VaultResult<M extends VaultMode, R extends object = StoredRecord> = M extends "scan"
  ? VaultScanResult
  : VaultFullResult<R>;

/** The fields of every response. */
interface VaultReport {
  /** Whether the response is worse than asked for. */
  readonly degraded: boolean;
  /** The reasons, and anything that could not be done as asked. */
  readonly warnings: readonly string[];
  /** The duration of the call in milliseconds. */
  readonly elapsed: number;
}

/** The response of `vault.search`. It is `degraded` where the snapshot has vectors and the search could not use them. */
export interface VaultResponse<M extends VaultMode = VaultMode, R extends object = StoredRecord> extends VaultReport {
  readonly query: string;
  readonly mode: M;
  /** The MATCH expression that stands for the query. */
  readonly expression: string;
  /** The number of candidates of each leg; absent where the leg did not run. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** The weight of each signal. */
  readonly weights: VaultSignals;
  /** The number of entries to choose from; from fifty on, a lower bound. */
  readonly candidates: number;
  /** The results, best first. */
  readonly results: readonly VaultResult<M, R>[];
}

/** The response of `vault.load`. */
export interface VaultLoaded<R extends object = StoredRecord> extends VaultReport {
  /** The records in the order of the ids. */
  readonly entries: readonly R[];
  /** The ids that no record has. */
  readonly missing: readonly string[];
}

/** The options of `vault.add` and `vault.update`. */
export interface VaultWriteOptions extends VaultCallOptions {
  /** Embeds the texts of entries that are new or whose text changed. Defaults to the `embed` of `open`. */
  readonly embed?: Embed | undefined;
  /** The vector of the entry; only with one entry. */
  readonly vector?: ArrayLike<number> | undefined;
  /** The model that `embed` and `vector` make vectors for. Defaults to the schema's first model without an embedder of its own. */
  readonly model?: string | undefined;
  /** Makes it an error where an entry would have no vector of a model. Defaults to `false`. */
  readonly strict?: boolean | undefined;
  /** The moment of the write. Defaults to now. */
  readonly now?: Moment | undefined;
}

/** Fields of an entry and their new values; `null` removes a field. The id and kind of an entry cannot change. */
export interface VaultFields {
  readonly id?: never;
  readonly kind?: never;
  readonly [field: string]: unknown;
}

/** The response of `vault.add`. It is `degraded` where an entry has no vector of a model. */
export interface VaultWritten extends VaultReport {
  /** The ids of the entries, in the order in which they were given. */
  readonly ids: readonly string[];
  /** The number of entries that were written. */
  readonly added: number;
  /** The number of entries among them that replaced another. */
  readonly replaced: number;
  /** The number of vectors that were made for the entries. */
  readonly embedded: number;
}

/** The response of `vault.update`. It is `degraded` where the entry has no vector of a model. */
export interface VaultUpdated<R extends object = StoredRecord> extends VaultReport {
  /** The entry as it is now. */
  readonly entry: R;
  /** The number of vectors that were made for the entry. */
  readonly embedded: number;
}

/** The options of `vault.remove`. */
export interface VaultRemoveOptions extends VaultCallOptions {
  /** The moment at which the links of the entries end. Defaults to now. */
  readonly now?: Moment | undefined;
}

/** The response of `vault.remove`. */
export interface VaultRemoved extends VaultReport {
  /** The number of entries that were removed. */
  readonly removed: number;
  /** The ids that no entry has. */
  readonly missing: readonly string[];
}

/** The options of `vault.link`. */
export interface VaultLinkOptions extends VaultCallOptions {
  /** The meaning of the link. Defaults to `"related"`. */
  readonly relation?: string | undefined;
  /** The strength of the link. By default it stays as it is. */
  readonly weight?: number | undefined;
  /** The moment at which the link ends; `null` for never. By default a link that has not ended keeps its end. */
  readonly validUntil?: Moment | null | undefined;
  /** The moment of the write. Defaults to now. */
  readonly now?: Moment | undefined;
}

/** The response of `vault.link`: the link as it is now. */
export interface VaultLinked extends VaultReport {
  readonly from: string;
  readonly to: string;
  readonly relation: string;
  readonly weight?: number;
  /** Milliseconds since 1970. */
  readonly validUntil?: number;
}

/** The options of `vault.unlink`. */
export interface VaultUnlinkOptions extends VaultCallOptions {
  /** The meaning of the link to end. Defaults to every link from one entry to the other. */
  readonly relation?: string | undefined;
  /** The moment at which the links end. Defaults to now. */
  readonly now?: Moment | undefined;
}

/** The response of `vault.unlink`. */
export interface VaultUnlinked extends VaultReport {
  /** The number of links that were ended. */
  readonly unlinked: number;
}

/** What a person did with a result. */
export interface VaultFeedback {
  /** The query that found the result. */
  readonly query: string;
  /** The id of the result. */
  readonly entryId: string | number;
  /** `"failed"` stands for an error of the system, and does not count. */
  readonly action: "accepted" | "modified" | "dismissed" | "failed";
  /** The moment of the action. Defaults to now. */
  readonly createdAt?: Moment | undefined;
}

/** The weight of each signal, and the feedback behind it. */
export interface VaultWeights extends VaultReport {
  /** The weights before any feedback. */
  readonly base: VaultSignals;
  /** The weights now: from thirty rows of feedback on, they follow the share of accepted results. */
  readonly current: VaultSignals;
  /** The number of feedback rows that count. */
  readonly n: number;
  /** The share of accepted results; `null` without feedback. */
  readonly accept: number | null;
}

/** The response of a search of several vaults. It is `degraded` where the response of a tier is. */
export interface FederationResponse<M extends VaultMode = VaultMode, R extends object = StoredRecord> extends VaultReport {
  readonly query: string;
  readonly mode: M;
  /** The tiers, highest priority first: the name, the factor of the scores, and the number of entries to choose from. */
  readonly tiers: readonly { readonly name: string; readonly weight: number; readonly candidates: number }[];
  /** The number of entries to choose from; a lower bound where a tier has fifty or more. */
  readonly candidates: number;
  /** The results, best first, each with the name of its tier. */
  readonly results: readonly (VaultResult<M, R> & { readonly tier: string })[];
}
