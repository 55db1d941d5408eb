import type { Stages } from "./recipe.types.js";
import type { Embed, Explain, Json } from "./types.js";

/** The signals that `rag.search` scores chunks by: words, vectors, or both. */
export type RagMode = "fts" | "semantic" | "hybrid";

/**
 * The origin of vectors: `"high"` where your `embed` function made them, `"local"` where the snapshot's own embedder did,
 * `"degraded"` where something fell back.
 */
export type QualityTier = "high" | "local" | "degraded";

/** The options of `rag.search`. A number out of range is clamped, and the response reports it in `clamped`. */
export interface RagSearchOptions extends Stages {
  /** The query, in plain words. */
  readonly query: string;
  /** The signals that make the score. An unknown mode runs as `"hybrid"`, with a warning. Defaults to `"hybrid"`. */
  readonly mode?: RagMode;
  /** The number of seeds, best first: 1 to 100. Neighbours come in addition. Defaults to 10. */
  readonly limit?: number;
  /** The number of candidates that words and vectors each give: `limit` to 500. Defaults to 6 per seed, and at least 60. */
  readonly candidateLimit?: number;
  /** The weight of the semantic score in hybrid mode, 0 to 1; words have the rest. Defaults to 0.7. */
  readonly semanticWeight?: number;
  /** The least score, 0 to 1. Defaults to 0 for fts, 0.15 for semantic, 0.1 for hybrid. */
  readonly minScore?: number;
  /** The least semantic score, 0 to 1. Defaults to 0, for semantic to 0.15. */
  readonly minSemanticScore?: number;
  /** The least number of the query's terms in a chunk. Defaults to 0, for fts to 1. */
  readonly minTokenOverlap?: number;
  /** Limits the seeds per source, while other sources can fill the page. Defaults to `true`. */
  readonly diversifyBySource?: boolean;
  /** The number of seeds per source, 1 to 20. Defaults to 3. */
  readonly maxPerSource?: number;
  /** The number of chunks before and after each seed that join the page, 0 to 5. Defaults to 0. */
  readonly neighborWindow?: number;
  /** Adds the graph of sources to the response. Defaults to `true`. */
  readonly includeGraph?: boolean;
  /** Links sources of the same session. Defaults to `false`. */
  readonly includeSession?: boolean;
  /** The greatest number of nodes in the graph, 1 to 500. Defaults to 60. */
  readonly nodeLimit?: number;
  /** Reranks the page by the graph. Defaults to `false`. */
  readonly graphRerank?: boolean;
  /** The weight of the graph in the score, 0 to 0.75. Defaults to 0.2. */
  readonly graphRerankWeight?: number;
  /** Finds only chunks of sources of this type, or of one of these types. Defaults to all. */
  readonly sourceType?: string | readonly string[];
  /** Finds only chunks of sources of this session. Defaults to all. */
  readonly sessionId?: string | number;
  /** Finds only chunks of sources of this context. Defaults to all. */
  readonly contextId?: string | number;
  /** The query's vector. Defaults to the vector that `embed`, or else the snapshot's own embedder, makes of the query. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the query. Defaults to the function that `open` was given. */
  readonly embed?: Embed;
  /** The model whose vectors are compared. Defaults to the schema's first. */
  readonly model?: string;
  /** Makes it an error, `embed/failed`, where the query has no usable vector. Defaults to `false`. */
  readonly strict?: boolean;
  /** Adds an explanation to every result. Defaults to `false`. */
  readonly explain?: boolean;
  /** The moment that links end by. Defaults to now. */
  readonly now?: number | string | Date;
  /** The time to wait for pending calls of `index`, in milliseconds, 0 to 10,000. Defaults to 1000. */
  readonly waitForIndexMs?: number;
  /** Ends the call: its promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A chunk as it is stored. */
export interface RagChunk {
  /** `sourceType:sourceId#chunkIndex`, where `rag.index` wrote the chunk. */
  readonly id: string;
  readonly kind?: string;
  readonly sourceType?: string;
  readonly sourceId?: string;
  readonly title?: string;
  /** The text of the chunk. */
  readonly text?: string;
  readonly sessionId?: string;
  readonly contextId?: string;
  readonly actionId?: string;
  readonly parentId?: string;
  /** The number of the chunk in its source, from 0. */
  readonly chunkIndex?: number;
  /** The number of characters (code points) of the source before the chunk. */
  readonly charOffset?: number;
  /** An estimate of the tokens that a language model counts in the chunk. */
  readonly tokenCount?: number;
  /** SHA-256 of the source's body. */
  readonly contentHash?: string;
  readonly createdAt?: number | string;
}

/** A chunk that was found: the fields of its record, and the fields that the search adds. */
export interface RagResult extends RagChunk {
  /** The score, 0 to 1. */
  readonly score: number;
  /** The rank among the keyword candidates, from 1 down to 0. Absent for a neighbour that is no seed, as are the next three. */
  readonly keywordScore?: number;
  /** The share of the query's terms that the chunk has. */
  readonly overlapScore?: number;
  /** The number of the query's terms that the chunk has. */
  readonly overlapTokens?: number;
  /** The cosine of its vector and the query's, at least 0. */
  readonly semanticScore?: number;
  /** The seed that the score comes from, and the number of chunks between them; absent for a seed with a score of its own. */
  readonly neighbor?: RagNeighbor;
  /** The score before the graph and the signal of the graph; absent where the graph does not count. */
  readonly rerank?: RagRerank;
  /** The explanation of the score: the products add up to it. */
  readonly explain?: Explain;
  /** The explanation of the score before the graph. */
  readonly baseExplain?: Explain;
  /** Other fields of the record. */
  readonly [field: string]: Json | Explain | RagNeighbor | RagRerank | undefined;
}

/** The seed of a neighbour. */
export interface RagNeighbor {
  /** The id of the seed. */
  readonly seed: string;
  /** The number of chunks from the seed to this one. */
  readonly distance: number;
}

/** The rerank of a result. */
export interface RagRerank {
  /** The score before the graph. */
  readonly base: number;
  /** The signal of the graph, 0 to 1. */
  readonly signal: number;
}

/** A source in a graph. */
export interface RagGraphNode {
  /** `sourceType:sourceId`. */
  readonly id: string;
  readonly sourceType: string;
  readonly sourceId: string;
  /** Whether the source has a result. */
  readonly isSeed: boolean;
}

/** A link between two sources. */
export interface RagGraphEdge {
  /** The id of the node where the link starts. */
  readonly from: string;
  /** The id of the node where the link ends. */
  readonly to: string;
  /** The relation, such as `"action_context"`. */
  readonly relation: string;
  /** The weight of the relation in a rerank. */
  readonly weight: number;
}

/** Sources and their links. */
export interface RagGraph {
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Whether a source was left out because the graph was full. */
  readonly truncated: boolean;
  /** The sources of the results, then the sources one link away. */
  readonly nodes: readonly RagGraphNode[];
  /** The links. No two have the same ends and relation. */
  readonly edges: readonly RagGraphEdge[];
}

/** The numbers that were out of range, by option. */
export type Clamped = { readonly [option: string]: { readonly given: number; readonly used: number } };

/** The conditions of a search on sources. */
export interface RagFilters {
  readonly sourceType: readonly string[] | null;
  readonly sessionId: string | null;
  readonly contextId: string | null;
}

/** The response of `rag.search`, with the counts of every step. */
export interface RagResponse {
  readonly success: true;
  readonly query: string;
  /** The mode that ran: `"fts"` where the query has no vector. */
  readonly mode: RagMode;
  readonly limit: number;
  readonly candidateLimit: number;
  /** The weights of both kinds of signals. */
  readonly weights: { readonly semantic: number; readonly keyword: number };
  readonly quality: {
    readonly minScore: number;
    readonly minSemanticScore: number;
    readonly minTokenOverlap: number;
    /** The number of candidates by origin. */
    readonly candidates: { readonly keyword: number; readonly vector: number; readonly newest: number };
    /** The number of candidates that passed the filter. */
    readonly passed: number;
    readonly diversifyBySource: boolean;
    readonly maxPerSource: number;
    /** The number of seeds beyond the share of their source, because the page would have been short. */
    readonly refilled: number;
  };
  /** The number of seeds, and of neighbours that joined. */
  readonly neighbor: { readonly window: number; readonly seeds: number; readonly added: number };
  readonly rerank: {
    readonly enabled: boolean;
    readonly weight: number;
    /** The number of results that moved. */
    readonly changedRanks: number;
  };
  /** Whether the query had to do without the vector that it should have. */
  readonly degraded: boolean;
  readonly qualityTier: QualityTier;
  /** The maker of the query's vector; `null` where vectors were not compared. */
  readonly embedding: {
    readonly provider: "embed" | "hash" | "static";
    readonly model: string;
    readonly dimensions: number | null;
    readonly fallbackUsed: boolean;
    readonly fallbackReason: string | null;
  } | null;
  readonly filters: RagFilters;
  /** The number of results. */
  readonly count: number;
  /** The results, best first. Equal scores go by BM25. */
  readonly results: readonly RagResult[];
  readonly graph: RagGraph | null;
  /** The numbers that were out of range; absent where none was. */
  readonly clamped?: Clamped;
  /** Everything that could not be done as you asked, with the reasons. */
  readonly warnings: readonly string[];
  /** Milliseconds from the call to the response. */
  readonly elapsed: number;
}

/** The type and id of a source. */
export interface RagSourceKey {
  /** The type: `"context"`, `"action"`, `"thought"`, or another word without a colon. */
  readonly sourceType: string;
  /** The id among sources of the same type. */
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
  /** Milliseconds since 1970, or an ISO 8601 date. Defaults to now. */
  readonly createdAt?: number | string | Date;
}

/** The options of `rag.index`. A number out of range is clamped, and the response reports it in `clamped`. */
export interface RagIndexOptions {
  /** The greatest number of characters per chunk, 1 to 6000. Defaults to 1200. */
  readonly chunkSize?: number;
  /** The number of characters that a chunk shares with the chunk before it, 0 to 1000 and below `chunkSize`. Defaults to 200. */
  readonly chunkOverlap?: number;
  /** Indexes only sources of these types. Defaults to all. */
  readonly sourceTypes?: string | readonly string[];
  /** Indexes unchanged sources too. Defaults to `false`. */
  readonly force?: boolean;
  /** Makes it an error, `embed/failed`, where a chunk has no vector as it should have. Defaults to `false`. */
  readonly strict?: boolean;
  /** The model whose vectors `embed` makes. Defaults to the schema's first. */
  readonly model?: string;
  /** Embeds chunks. Defaults to the function that `open` was given, or else to the snapshot's own embedder. */
  readonly embed?: Embed;
  /** The number of texts per call of `embed`, 1 to 10,000. Defaults to 64. */
  readonly batchSize?: number;
  /** The number of calls of `embed` that run at once, 1 to 32. Defaults to 1. */
  readonly parallelBatches?: number;
  /** The number of sources per write, 1 to 10,000. Sources that are written stay, whatever happens later. Defaults to 32. */
  readonly checkpointEvery?: number;
  /** The time of sources without one. Defaults to now. */
  readonly now?: number | string | Date;
  /** Called after every write. */
  readonly onProgress?: (progress: RagIndexProgress) => void;
  /** Ends the call: its promise rejects with the signal's reason. Sources that are written stay. */
  readonly signal?: AbortSignal;
}

/** The progress of a call of `rag.index`. */
export interface RagIndexProgress {
  /** The number of sources that are done. */
  readonly sources: number;
  /** The number of all sources. */
  readonly total: number;
  /** The number of chunks that were written. */
  readonly chunks: number;
}

/** The report for a source. */
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
      /**
       * `"content_unchanged"`: the body is the same, and no vector is missing. `"empty_body"`: the body has no words.
       * `"other_type"`: `sourceTypes` does not name its type. `"superseded"`: a later call indexed or removed the source.
       */
      readonly reason: "content_unchanged" | "empty_body" | "other_type" | "superseded";
      readonly indexedChunks: 0;
      readonly removedChunks: number;
    });

/** The response of `rag.index`. */
export interface RagIndexResponse {
  readonly success: true;
  /** The number of sources that were indexed. */
  readonly indexed: number;
  /** The number of sources that were skipped. */
  readonly skipped: number;
  readonly indexedChunks: number;
  /** The number of chunks that were removed, because their sources no longer have them. */
  readonly removedChunks: number;
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly qualityTier: QualityTier;
  readonly embedding: {
    /** The makers of the vectors: `"embed"`, `"hash"`, `"static"`, or `"none"`. */
    readonly providers: readonly string[];
    /** The models of the vectors. */
    readonly models: readonly string[];
    /** The number of chunks without the vector that they should have. */
    readonly fallbackCount: number;
    /** The reasons; absent where no chunk fell back. */
    readonly fallbackReasons?: readonly string[];
  };
  /** A report for each source, in the order of the sources. */
  readonly sources: readonly RagSourceReport[];
  /** The numbers that were out of range; absent where none was. */
  readonly clamped?: Clamped;
  /** Whether chunks lack the vectors that they should have. */
  readonly degraded: boolean;
  /** Everything that could not be done as you asked, with the reasons. */
  readonly warnings: readonly string[];
  /** Milliseconds from the call to the response. */
  readonly elapsed: number;
}

/** The response of `rag.remove`. */
export interface RagRemoveResponse {
  readonly success: true;
  /** The number of chunks that were removed. */
  readonly removed: number;
  /** Always `false`: a removal cannot fall back. */
  readonly degraded: boolean;
  readonly warnings: readonly string[];
  /** Milliseconds that the call took. */
  readonly elapsed: number;
}
