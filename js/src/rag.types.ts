import type { Stages } from "./recipe.types.js";
import type { Embed, ExplainedPart, Json } from "./types.js";

/** What `rag` looks for: words, meaning, or both. */
export type RagMode = "fts" | "semantic" | "hybrid";

/** How good vectors are: made by the caller's model, by the snapshot itself, or by something that stood in. */
export type QualityTier = "high" | "local" | "degraded";

/** What is asked of `rag.search`. Numbers out of range are brought into it, and the response says which. */
export interface RagSearchOptions extends Stages {
  /** What is asked. */
  readonly query: string;
  /** What is looked for; a mode that there is not is taken for the default. Defaults to `"hybrid"`. */
  readonly mode?: RagMode;
  /** How many seeds, best first: 1 to 100. Neighbours come in addition. Defaults to 10. */
  readonly limit?: number;
  /** How many candidates words and vectors each give: `limit` to 500. Defaults to six a seed, and at least 60. */
  readonly candidateLimit?: number;
  /** What meaning counts in hybrid mode, 0 to 1; words count the rest. Defaults to 0.7. */
  readonly semanticWeight?: number;
  /** The least score. Defaults to 0 for fts, 0.15 for semantic, 0.1 for hybrid. */
  readonly minScore?: number;
  /** The least semantic score. Defaults to 0, for semantic to 0.15. */
  readonly minSemanticScore?: number;
  /** How many of the query's terms a chunk has at least. Defaults to 0, for fts to 1. */
  readonly minTokenOverlap?: number;
  /** Lets no source take more than its share of the page, while others can fill it. Defaults to `true`. */
  readonly diversifyBySource?: boolean;
  /** That share, 1 to 20. Defaults to 3. */
  readonly maxPerSource?: number;
  /** How many chunks before and after each seed come along, 0 to 5. Defaults to 0. */
  readonly neighborWindow?: number;
  /** Gives the graph of sources. Defaults to `true`. */
  readonly includeGraph?: boolean;
  /** Links sources of one session. Defaults to `false`. */
  readonly includeSession?: boolean;
  /** How many nodes the graph has at most, 1 to 500. Defaults to 60. */
  readonly nodeLimit?: number;
  /** Lets the graph count. Defaults to `false`. */
  readonly graphRerank?: boolean;
  /** What the graph counts, 0 to 0.75. Defaults to 0.2. */
  readonly graphRerankWeight?: number;
  /** Only chunks of sources of this type, or one of these. Defaults to all. */
  readonly sourceType?: string | readonly string[];
  /** Only chunks of sources of this session. Defaults to all. */
  readonly sessionId?: string | number;
  /** Only chunks of sources of this context. Defaults to all. */
  readonly contextId?: string | number;
  /** The query's vector. Defaults to what `embed`, or else the snapshot's own embedder, makes of the query. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the query; the last 500 vectors are kept for ten minutes. Defaults to what `open` was given. */
  readonly embed?: Embed;
  /** Whose vectors are compared. Defaults to the schema's first model. */
  readonly model?: string;
  /** Makes it an error that the query could not be embedded as it was to be. Defaults to `false`. */
  readonly strict?: boolean;
  /** Lets results explain their scores. Defaults to `false`. */
  readonly explain?: boolean;
  /** The time that links end by, in milliseconds. Defaults to now. */
  readonly now?: number;
  /** For how long to wait for an `index` that is under way, in milliseconds, 0 to 10,000. Defaults to 1000. */
  readonly waitForIndexMs?: number;
  /** Ends the call: its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A chunk, as it is stored. */
export interface RagChunk {
  /** `sourceType:sourceId#chunkIndex`, where `rag.index` wrote it. */
  readonly id: string;
  readonly kind?: string;
  readonly sourceType?: string;
  readonly sourceId?: string;
  readonly title?: string;
  /** The chunk itself. */
  readonly text?: string;
  readonly sessionId?: string;
  readonly contextId?: string;
  readonly actionId?: string;
  readonly parentId?: string;
  /** Its place among the chunks of its source, from 0. */
  readonly chunkIndex?: number;
  /** How many characters (code points) of the source are before it. */
  readonly charOffset?: number;
  /** About how many tokens it is for a language model. */
  readonly tokenCount?: number;
  /** SHA-256 of the source's whole text. */
  readonly contentHash?: string;
  readonly createdAt?: number | string;
}

/** A chunk that was found: its own fields, and what the search says of it. */
export interface RagResult extends RagChunk {
  /** How well it fits, 0 to 1. */
  readonly score: number;
  /** Its place among what the words found, 1 to 0; absent for a neighbour that is no seed, as are the next three. */
  readonly keywordScore?: number;
  /** The share of the query's terms that it has. */
  readonly overlapScore?: number;
  /** How many of the query's terms it has. */
  readonly overlapTokens?: number;
  /** How near its vector is, at least 0. */
  readonly semanticScore?: number;
  /** The seed that it owes its score to, and how many chunks away that is. */
  readonly neighbor?: { readonly seed: string; readonly distance: number };
  /** Its score before the graph, and what the graph says; absent where the graph does not count. */
  readonly rerank?: { readonly base: number; readonly signal: number };
  /** What made the score: the products add up to it. */
  readonly explain?: RagExplain;
  /** What made the score before the graph. */
  readonly baseExplain?: RagExplain;
  /** Fields of the record's own. */
  readonly [field: string]: Json | RagExplain | undefined;
}

/** What made a score. */
export interface RagExplain {
  readonly parts: readonly ExplainedPart[];
}

/** Sources, and how they are linked. */
export interface RagGraph {
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Whether there was no room for more nodes. */
  readonly truncated: boolean;
  /** The sources of the results, then those one link away. */
  readonly nodes: readonly {
    /** `sourceType:sourceId`. */
    readonly id: string;
    readonly sourceType: string;
    readonly sourceId: string;
    /** Whether a result is of it. */
    readonly isSeed: boolean;
  }[];
  /** Each link once. */
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly relation: string;
    /** What it counts where the graph counts. */
    readonly weight: number;
  }[];
}

/** Numbers that were out of range, by option. */
export type Clamped = { readonly [option: string]: { readonly given: number; readonly used: number } };

/** What `rag.search` answers, step by step. */
export interface RagResponse {
  readonly success: true;
  readonly query: string;
  /** What was looked for: `"fts"` where there was no vector for more. */
  readonly mode: RagMode;
  readonly limit: number;
  readonly candidateLimit: number;
  /** What meaning and words count. */
  readonly weights: { readonly semantic: number; readonly keyword: number };
  readonly quality: {
    readonly minScore: number;
    readonly minSemanticScore: number;
    readonly minTokenOverlap: number;
    /** How many candidates there were, by where they come from. */
    readonly candidates: { readonly keyword: number; readonly vector: number; readonly newest: number };
    /** How many of them were good enough. */
    readonly passed: number;
    readonly diversifyBySource: boolean;
    readonly maxPerSource: number;
    /** How many seeds are beyond their source's share, since the page would have been short. */
    readonly refilled: number;
  };
  /** How many seeds there are, and how many neighbours came along. */
  readonly neighbor: { readonly window: number; readonly seeds: number; readonly added: number };
  readonly rerank: {
    readonly enabled: boolean;
    readonly weight: number;
    /** How many results moved. */
    readonly changedRanks: number;
  };
  /** Whether something that was asked for could not be done. */
  readonly degraded: boolean;
  readonly qualityTier: QualityTier;
  /** What the query was embedded with; `null` where it was not. */
  readonly embedding: {
    readonly provider: "embed" | "hash" | "static";
    readonly model: string;
    readonly dimensions: number | null;
    readonly fallbackUsed: boolean;
    readonly fallbackReason: string | null;
  } | null;
  readonly filters: {
    readonly sourceType: readonly string[] | null;
    readonly sessionId: string | null;
    readonly contextId: string | null;
  };
  /** How many results there are. */
  readonly count: number;
  /** Best first. */
  readonly results: readonly RagResult[];
  readonly graph: RagGraph | null;
  /** Numbers that were out of range; absent where none was. */
  readonly clamped?: Clamped;
  /** What could not be done, and why; absent where all was. */
  readonly warnings?: readonly string[];
}

/** What tells a source from all others. */
export interface RagSourceKey {
  /** What kind of text it is: `"context"`, `"action"`, `"thought"`, or another word without a colon. */
  readonly sourceType: string;
  /** What tells it from others of its type. */
  readonly sourceId: string | number;
}

/** A text to be found by its chunks. */
export interface RagSource extends RagSourceKey {
  readonly body: string;
  readonly title?: string;
  readonly sessionId?: string | number;
  readonly contextId?: string | number;
  readonly actionId?: string | number;
  readonly parentId?: string | number;
  /** Milliseconds or an ISO 8601 date. Defaults to now. */
  readonly createdAt?: number | string;
}

/** How sources are indexed. */
export interface RagIndexOptions {
  /** How many characters a chunk has at most, 1 to 6000. Defaults to 1200. */
  readonly chunkSize?: number;
  /** How many characters it shares with the one before, 0 to 1000 and less than its size. Defaults to 200. */
  readonly chunkOverlap?: number;
  /** Indexes what did not change as well. Defaults to `false`. */
  readonly force?: boolean;
  /** Makes it an error that chunks could not be embedded as they were to be. Defaults to `false`. */
  readonly strict?: boolean;
  /** Whose vectors `embed` makes. Defaults to the schema's first model. */
  readonly model?: string;
  /** Embeds chunks. Defaults to what `open` was given, or else the snapshot's own embedder. */
  readonly embed?: Embed;
  /** How many texts `embed` is given at once. Defaults to 64. */
  readonly batchSize?: number;
  /** The time that sources without one were made. Defaults to now. */
  readonly now?: number;
  /** Is told how far it is, after every batch. */
  readonly onProgress?: (progress: RagIndexProgress) => void;
  /** Ends the call: its promise is rejected with the signal's reason. What was written stays. */
  readonly signal?: AbortSignal;
}

/** How far an index is. */
export interface RagIndexProgress {
  /** How many sources are done. */
  readonly sources: number;
  /** How many there are. */
  readonly total: number;
  /** How many chunks were written. */
  readonly chunks: number;
}

/** What was done with a source. */
export type RagSourceReport =
  | (RagSourceKey & {
      readonly indexed: true;
      readonly skipped: false;
      readonly indexedChunks: number;
      readonly removedChunks: number;
    })
  | (RagSourceKey & {
      readonly indexed: false;
      readonly skipped: true;
      readonly reason: "content_unchanged" | "empty_body";
      readonly indexedChunks: 0;
      readonly removedChunks: number;
    });

/** What `rag.index` answers. */
export interface RagIndexResponse {
  readonly success: true;
  /** How many sources were indexed. */
  readonly indexed: number;
  /** How many were passed over. */
  readonly skipped: number;
  readonly indexedChunks: number;
  /** How many chunks are gone, because their sources no longer have them. */
  readonly removedChunks: number;
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly qualityTier: QualityTier;
  readonly embedding: {
    /** What vectors were made with: `"embed"`, `"hash"`, `"static"`, or `"none"`. */
    readonly providers: readonly string[];
    /** Whose vectors they are. */
    readonly models: readonly string[];
    /** How many chunks were not embedded as they were to be. */
    readonly fallbackCount: number;
    /** Why; absent where all were. */
    readonly fallbackReasons?: readonly string[];
  };
  /** By source, in their order. */
  readonly sources: readonly RagSourceReport[];
  /** Numbers that were out of range; absent where none was. */
  readonly clamped?: Clamped;
}

/** What `rag.remove` answers. */
export interface RagRemoveResponse {
  readonly success: true;
  /** How many chunks there were. */
  readonly removed: number;
}
