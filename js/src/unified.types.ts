import type { Clamped } from "./rag.types.js";
import type { Stages } from "./recipe.types.js";
import type { Embed, Explain, Json, StoredRecord } from "./types.js";

/** The parameters of a unified search. Every filter applies before the hits are cut to the limit. */
export interface UnifiedParams extends Stages {
  /**
   * The words to search for. Defaults to none: then the filters alone select, newest first. Without a vector for the query,
   * keywords alone decide.
   */
  readonly query?: string;
  /** Records of kind `observation`, `session` or `prompt`. Defaults to `""`, all of them. */
  readonly type?: "" | "observations" | "sessions" | "prompts";
  /** Records of this project. Defaults to all. */
  readonly project?: string;
  /** Observations of this type, or of one of these. Defaults to all. */
  readonly obsType?: string | readonly string[];
  /** Records with this concept, or with one of these. Defaults to all. */
  readonly concepts?: string | readonly string[];
  /** Records with this file, or with one of these. Defaults to all. */
  readonly files?: string | readonly string[];
  /** The earliest moment: milliseconds since 1970, an ISO 8601 string, or a `Date`. Defaults to no bound. */
  readonly dateStart?: number | string | Date;
  /** The latest moment; a date without a time is its first moment. Defaults to no bound. */
  readonly dateEnd?: number | string | Date;
  /**
   * The order: best first, newest first or oldest first. With a query, the dates order the most relevant records. Defaults to
   * `"relevance"`, and without a query to `"date_desc"`. Records without a date come last.
   */
  readonly orderBy?: "" | "relevance" | "date_desc" | "date_asc";
  /** The number of hits, clamped to 1 to 100. 0 stands for the default. Defaults to 20. */
  readonly limit?: number;
  /** The number of hits to skip, 0 to 10,000. Pages of one limit do not overlap. Defaults to 0. */
  readonly offset?: number;
  /** `"full"`: hits carry their record; `"index"`: they carry title, project, type and time alone. Defaults to `"full"`. */
  readonly format?: "index" | "full";
  /** Records of this scope. Defaults to all. */
  readonly scope?: string;
  /** Adds records of scope `global` to those of `project`. Defaults to `false`. */
  readonly includeGlobal?: boolean;
  /** Leaves out records with `isSuperseded` or a `supersededBy`. Defaults to `false`. */
  readonly excludeSuperseded?: boolean;
  /**
   * When keywords are confident enough to leave vectors out: the best normalised score reaches `score`, and leads the second
   * by `gap`, both 0 to 1. `false` never leaves vectors out. Defaults to `{ score: 0.85, gap: 0.15 }`.
   */
  readonly shortCircuit?: boolean | { readonly score?: number; readonly gap?: number };
  /** Also searches for variants of the query. Defaults to `false`. */
  readonly expand?: boolean;
  /** The greatest number of variants with `expand`, the query included: 1 to 10. Defaults to 4. */
  readonly expansions?: number;
  /** Whether words of the index may be variants with `expand`. Defaults to `true`. */
  readonly vocabulary?: boolean;
  /** Adds an explanation to every hit. Defaults to `false`. */
  readonly explain?: boolean;
  /** The model whose vectors are compared. Defaults to the schema's first. */
  readonly model?: string;
  /** The vector of the query. Defaults to the one that `embed`, or else the snapshot's own embedder, makes. */
  readonly vector?: ArrayLike<number>;
  /** Makes the vector of the query, if the search needs one. Defaults to the function that `open` was given. */
  readonly embed?: Embed;
  /** Makes it an error where the query has no usable vector. Defaults to `false`: the response is `degraded`. */
  readonly strict?: boolean;
  /** The moment that the age of cached answers counts from. Defaults to now. */
  readonly now?: number | string | Date;
  /** Ends this caller's wait: the promise rejects with `signal.reason`. */
  readonly signal?: AbortSignal;
}

/** The parameters of a search whose query is its first argument. */
export type BoostedParams = Omit<UnifiedParams, "query">;

/** The response of a unified search. */
export interface UnifiedResponse<R extends object = StoredRecord> {
  /** The query as it was searched for: trimmed, boosted, inner white space collapsed. */
  readonly query: string;
  /** The way that the search took: filters alone, keywords alone, or keywords and vectors. */
  readonly mode: "filter" | "keyword" | "hybrid";
  /** The number of candidates of each leg; absent where the leg did not run. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** Whether keywords were confident enough to leave vectors out. */
  readonly shortCircuit: boolean;
  /** The intent of the query; only with `expand`. */
  readonly intent?: "error" | "question" | "implementation" | "architecture" | "general";
  /** The variants that were searched for, the query first; only with `expand`. */
  readonly variants?: readonly { readonly query: string; readonly weight: number }[];
  /** The limit after clamping. */
  readonly limit: number;
  readonly offset: number;
  /** The numbers that were clamped; absent where there are none. */
  readonly clamped?: Clamped;
  /** Whether something that the caller asked for could not be done. */
  readonly degraded: boolean;
  /** The reasons. */
  readonly warnings: readonly string[];
  /** How long the caller waited, in milliseconds. */
  readonly elapsed: number;
  /** The hits, in order. */
  readonly hits: readonly UnifiedHit<R>[];
}

/** A record that a unified search found. */
export interface UnifiedHit<R extends object = StoredRecord> {
  readonly id: string;
  readonly kind: string;
  /** Higher is better: a sum over ranks in mode `hybrid`, below 1 in mode `keyword`, 0 in mode `filter`. */
  readonly score: number;
  /** Fields of the record; absent where it lacks them. */
  readonly title?: string;
  readonly project?: string;
  readonly obsType?: string;
  /** The moment, as the record has it. */
  readonly createdAt?: Json;
  /** Whether the caller pinned it. */
  readonly pinned?: true;
  /** The ids of the records that are folded under it. */
  readonly folded?: readonly string[];
  /** The explanation of the score; only with `explain`. The products of the parts add up to the score. */
  readonly explain?: Explain;
  /** The record; only with `format: "full"`. */
  readonly record?: Readonly<R>;
}

/** Counts and latencies since the engine was opened. */
export interface UnifiedStats {
  /** All searches: hits, misses and coalesced ones. */
  readonly searches: number;
  /** Searches answered from the cache. */
  readonly hits: number;
  /** Searches that ranked the records. */
  readonly misses: number;
  /** Searches that joined an equal one that was already running. */
  readonly coalesced: number;
  /** Searches whose keywords were confident enough to leave vectors out. */
  readonly shortCircuits: number;
  /** Searches whose query could not be embedded. */
  readonly vectorErrors: number;
  /** How long callers waited for the last 1,000 searches, in milliseconds, embedding included; 0 where there were none. */
  readonly latency: { readonly count: number; readonly p50: number; readonly p95: number; readonly p99: number };
}
