import type { Stages } from "./recipe.types.js";
import type { Embed, ExplainedPart, Json, StoredRecord } from "./types.js";

/** What can be asked of a unified search. Filters hold before hits are cut to the limit. */
export interface UnifiedParams extends Stages {
  /**
   * What is looked for. Defaults to nothing: then filters alone select, newest first. Where there is no vector for it,
   * words alone are looked for.
   */
  readonly query?: string;
  /** Which records: of kind `observation`, `session` or `prompt`. Defaults to `""`, all. */
  readonly type?: "" | "observations" | "sessions" | "prompts";
  /** Only this project. Defaults to all. */
  readonly project?: string;
  /** Only observations of this type, or one of these. Defaults to all. */
  readonly obsType?: string | readonly string[];
  /** Only what has one of these concepts. Defaults to all. */
  readonly concepts?: string | readonly string[];
  /** Only what has one of these files. Defaults to all. */
  readonly files?: string | readonly string[];
  /** Nothing before this moment: milliseconds, or an ISO 8601 date. Defaults to no bound. */
  readonly dateStart?: number | string | Date;
  /** Nothing after this moment; a date without a time is its beginning. Defaults to no bound. */
  readonly dateEnd?: number | string | Date;
  /**
   * The order: best first, newest first or oldest first. With a query, it is the most relevant records that are put in the
   * order of their dates. Defaults to `"relevance"`, and without a query to `"date_desc"`. What has no date comes last.
   */
  readonly orderBy?: "relevance" | "date_desc" | "date_asc";
  /** How many hits: brought to 1 to 100; 0 stands for the default. Defaults to 20. */
  readonly limit?: number;
  /** How many hits to leave out before the first, up to 10,000. Pages of one limit do not overlap. Defaults to 0. */
  readonly offset?: number;
  /** `"full"`: hits carry their record; `"index"`: only what tells them apart. Defaults to `"full"`. */
  readonly format?: "index" | "full";
  /** Only this scope. Defaults to all. */
  readonly scope?: string;
  /** Lets what is of scope `global` count as of the project that was asked for. Defaults to `false`. */
  readonly includeGlobal?: boolean;
  /** Leaves out what has `isSuperseded` or a `supersededBy`. Defaults to `false`. */
  readonly excludeSuperseded?: boolean;
  /** Looks for other ways to ask as well: at most four in all. Defaults to `false`. */
  readonly expand?: boolean;
  /** Lets hits explain their scores. Defaults to `false`. */
  readonly explain?: boolean;
  /** Whose vectors are compared. Defaults to the schema's first model. */
  readonly model?: string;
  /** The query's vector. Defaults to what `embed`, or else the snapshot's own embedder, makes of the query. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the query, where words are not sure by themselves. Defaults to what `open` was given. */
  readonly embed?: Embed;
  /** Ends this caller's waiting: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What a unified search answers. */
export interface UnifiedResponse<R extends object = StoredRecord> {
  /** The query, trimmed, inner whitespace collapsed. */
  readonly query: string;
  /** Which way it took: filters alone, words alone, or words and vectors. */
  readonly mode: "filter" | "keyword" | "hybrid";
  /** How many candidates each leg gave; absent where it did not run. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** Whether words were so sure that vectors were not asked. */
  readonly shortCircuit: boolean;
  /** What the query is after; only with `expand`. */
  readonly intent?: "error" | "question" | "implementation" | "architecture" | "general";
  /** In which ways it was asked, the query itself first; only with `expand`. */
  readonly variants?: readonly { readonly query: string; readonly weight: number }[];
  /** The limit as it was brought to its bounds. */
  readonly limit: number;
  readonly offset: number;
  /** Whether something that was asked for could not be done. */
  readonly degraded: boolean;
  /** What, and why; absent where all was done. */
  readonly warnings?: readonly string[];
  /** The hits, in order. */
  readonly hits: readonly UnifiedHit<R>[];
}

/** A record that was found. */
export interface UnifiedHit<R extends object = StoredRecord> {
  readonly id: string;
  readonly kind: string;
  /**
   * How well it fits: the sum over ranks where lists were fused, below 1 where words alone were looked for, 0 where filters
   * alone selected.
   */
  readonly score: number;
  /** Parts of the record that tell it from others; absent where it lacks them. */
  readonly title?: string;
  readonly project?: string;
  readonly obsType?: string;
  /** As the record has it. */
  readonly createdAt?: Json;
  /** Whether it is here because it was pinned. */
  readonly pinned?: true;
  /** The ids of the records that are folded under it. */
  readonly folded?: readonly string[];
  /** What made the score; only with `explain`. The products of the parts add up to it. */
  readonly explain?: { readonly bm25?: number; readonly similarity?: number; readonly parts: readonly ExplainedPart[] };
  /** The record; only with `format: "full"`. */
  readonly record?: Readonly<R>;
}

/** What was counted since the engine was opened. */
export interface UnifiedStats {
  /** All searches: hits, misses and those that were joined. */
  readonly searches: number;
  /** Answered from the cache. */
  readonly hits: number;
  /** Worked out. */
  readonly misses: number;
  /** Joined to an equal one that was under way. */
  readonly coalesced: number;
  /** Answered by words that were sure. */
  readonly shortCircuits: number;
  /** How often the query could not be embedded. */
  readonly vectorErrors: number;
  /** How long the last thousand took, in milliseconds, embedding included; 0 where there were none. */
  readonly latency: { readonly count: number; readonly p50: number; readonly p95: number; readonly p99: number };
}
