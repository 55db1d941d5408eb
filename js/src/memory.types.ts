import type { Stages } from "./recipe.types.js";
import type { Embed, Explain, Json } from "./types.js";

/** The sectors with a boost of their own. Any other sector can be used, with a boost of 1. */
export type MemorySector = "episodic" | "semantic" | "procedural" | "emotional" | "reflective";

/** How far a memory reaches. */
export type MemoryTier = "session" | "project" | "global";

/** How a session used a memory. */
export type MemoryUsage = "created" | "recalled" | "updated" | "reinforced";

/** The legs that run: both, vectors alone, or words alone. */
export type MemoryMode = "hybrid" | "semantic" | "keyword";

/** A memory as it is now. Times are milliseconds since 1970. */
export interface Memory {
  readonly id: string | number;
  readonly kind: "memory";
  readonly projectId?: string;
  readonly content: string;
  readonly summary?: string;
  readonly sector?: MemorySector | (string & {});
  readonly tier?: MemoryTier;
  /** The salience, 0 to 1: every recall raises it, and decay lowers it. */
  readonly salience?: number;
  /** The importance, 0 to 1: important memories fade more slowly. */
  readonly importance?: number;
  readonly tags?: readonly string[];
  readonly concepts?: readonly string[];
  readonly files?: readonly string[];
  /** When it was created. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** When it was last recalled or reinforced. */
  readonly lastAccessed?: number;
  readonly validFrom?: number;
  /** When it was, or will be, superseded. */
  readonly validUntil?: number;
  readonly isDeleted?: boolean;
  readonly [field: string]: Json | undefined;
}

/** A memory to create. */
export interface NewMemory {
  readonly content: string;
  /** Defaults to an id that no other memory has. */
  readonly id?: string | number;
  /** The project it belongs to. Defaults to none. */
  readonly projectId?: string;
  /** The session that creates it. Defaults to none. */
  readonly sessionId?: string;
  readonly summary?: string;
  /** Defaults to `"semantic"`. */
  readonly sector?: MemorySector | (string & {});
  /** Defaults to `"project"`. */
  readonly tier?: MemoryTier;
  /** The salience, 0 to 1. Defaults to 1. */
  readonly salience?: number;
  /** The importance, 0 to 1. Defaults to 0.5. */
  readonly importance?: number;
  readonly tags?: readonly string[];
  readonly concepts?: readonly string[];
  readonly files?: readonly string[];
  /** In milliseconds since 1970, or as a date. Defaults to now. */
  readonly createdAt?: number | string | Date;
  readonly validFrom?: number | string | Date;
  readonly validUntil?: number | string | Date;
  /** Its vector. By default `embed` makes it, or else the snapshot's own embedder. */
  readonly vector?: ArrayLike<number>;
  /** Embeds its text. Defaults to the function that `open` was given. */
  readonly embed?: Embed;
  /** The model of the vector. Defaults to the schema's first. */
  readonly model?: string;
}

/** Fields of a memory to change. Absent fields stay as they are; `null` removes a field. */
export interface MemoryChanges {
  readonly content?: string;
  readonly summary?: string | null;
  readonly projectId?: string | null;
  readonly sector?: MemorySector | (string & {});
  readonly tier?: MemoryTier;
  /** The salience, 0 to 1. Decay starts again from now. */
  readonly salience?: number;
  /** The importance, 0 to 1. */
  readonly importance?: number;
  readonly tags?: readonly string[] | null;
  readonly concepts?: readonly string[] | null;
  readonly files?: readonly string[] | null;
  readonly validFrom?: number | string | Date | null;
  readonly validUntil?: number | string | Date | null;
}

/** Options of calls that wait. */
export interface MemoryCallOptions {
  /** Ends the wait: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of `update`. */
export interface MemoryUpdateOptions extends MemoryCallOptions {
  /** The session that updates the memory; it gets a usage row `updated`. Defaults to none. */
  readonly sessionId?: string;
  /** The new vector. By default `embed` makes it where the text changes, or else the snapshot's own embedder. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the new text. Defaults to the function that `open` was given. */
  readonly embed?: Embed;
  /** The model of the vector. Defaults to the schema's first. */
  readonly model?: string;
}

/** Fields that every response has. */
interface Answered {
  /** Whether a part of the call could not be done. */
  readonly degraded: boolean;
  /** The reasons; empty where everything was done. */
  readonly warnings: readonly string[];
  /** How many milliseconds the call took, embedding included. */
  readonly elapsed: number;
}

/** The response of `create` and `update`. */
export interface MemoryWritten extends Answered {
  readonly id: string;
  /** The memory as it is now. */
  readonly memory: Memory;
  /** Whether it has a vector. */
  readonly embedded: boolean;
}

/** The weights of the four signals of a score, and the boosts of sectors. */
export interface MemoryWeights {
  /** The weight of the similarity. Defaults to 0.4. */
  readonly semantic?: number;
  /** The weight of the keyword signal. Defaults to 0.25. */
  readonly keyword?: number;
  /** The weight of the salience. Defaults to 0.2. */
  readonly salience?: number;
  /** The weight of the recency. Defaults to 0.15. */
  readonly recency?: number;
  /**
   * By sector, the factor of the score. Defaults to 1.2 for reflective, 1.1 for semantic, 1 for procedural, 0.9 for emotional,
   * 0.8 for episodic memories, and 1 for others.
   */
  readonly sectorBoost?: { readonly [sector: string]: number };
}

/** Settings that hold for all calls of an engine's memory recipe. */
export interface MemorySettings {
  /** The weights of scores. A search may change single ones. */
  readonly weights?: MemoryWeights;
  /** Lets salience fade since a memory was last accessed. It is computed when salience is read, never stored. Defaults to `false`. */
  readonly decay?: boolean;
}

/** Filters that all searches share. */
export interface MemoryFilters {
  /** Only memories of this project. Defaults to all. */
  readonly projectId?: string;
  /** Only memories of this sector, or of these. Defaults to all. */
  readonly sector?: MemorySector | (string & {}) | readonly string[];
  /** Only memories of this tier, or of these. Defaults to all. */
  readonly tier?: MemoryTier | readonly MemoryTier[];
  /** Only memories of at least this salience, 0 to 1. Defaults to 0. */
  readonly minSalience?: number;
  /** Only memories that this session used. Defaults to all. */
  readonly sessionId?: string;
  /** Also finds superseded memories. Defaults to `false`. */
  readonly includeSuperseded?: boolean;
  /** The moment that ages count from, in milliseconds since 1970. Defaults to now. */
  readonly now?: number | string | Date;
}

/** Options that concern the vector of a query. */
export interface MemoryEmbedding {
  /** The query's vector. By default `embed` makes it, or else the snapshot's own embedder. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the query. Defaults to the function that `open` was given. */
  readonly embed?: Embed;
  /** The model whose vectors are compared. Defaults to the schema's first. */
  readonly model?: string;
  /** Makes it an error where the query has no usable vector. Defaults to `false`. */
  readonly strict?: boolean;
}

/** Options of `searchDocuments`. */
export interface MemoryDocumentOptions extends MemoryFilters, MemoryEmbedding, MemoryCallOptions, Stages {
  /** The number of results, best first: 1 to 1000. Defaults to 10. */
  readonly limit?: number;
  /** The legs that run. Defaults to `"hybrid"`. */
  readonly mode?: MemoryMode;
  /** Changes to the engine's weights. Defaults to none. */
  readonly weights?: MemoryWeights;
  /** Returns highlights as plain text. Defaults to `false`: they are safe as HTML. */
  readonly raw?: boolean;
  /** Adds an explanation to every result. Defaults to `true`. */
  readonly explain?: boolean;
}

/** Options of `search`, the query included. */
export interface MemorySearchOptions extends MemoryDocumentOptions {
  readonly query: string;
  /** Also finds documents, each by its best chunk. Defaults to `false`. */
  readonly includeDocuments?: boolean;
  /** The session that recalls the returned memories; this is no filter. Defaults to `sessionId`. */
  readonly recallSessionId?: string;
  /** Reinforces the returned memories, and records the recall in the session. Defaults to `true`. */
  readonly track?: boolean;
}

/** Options of `searchFts`. */
export interface MemoryFtsOptions extends MemoryFilters, MemoryCallOptions {
  /** The number of results, best first: 1 to 1000. Defaults to 20. */
  readonly limit?: number;
  /** Returns snippets as plain text. Defaults to `false`: they are safe as HTML. */
  readonly raw?: boolean;
}

/** Options of `searchVector`. */
export interface MemoryVectorOptions extends MemoryFilters, MemoryEmbedding, MemoryCallOptions {
  /** The number of results, nearest first: 1 to 1000. Defaults to 20. */
  readonly limit?: number;
}

/** The response of a search. */
export interface MemoryResponse<Result> extends Answered {
  readonly query: string;
  /** The legs that ran. */
  readonly mode: MemoryMode;
  /** The number of candidates of each leg; absent where it did not run. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** The model whose vectors were compared; absent where none were. */
  readonly model?: string;
  /** The number of memories that only have vectors of another model or width. */
  readonly skipped: number;
  /** Best first. */
  readonly results: readonly Result[];
}

/** A session, as far as it is known. */
export interface MemorySession {
  readonly id: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly summary?: string;
  readonly projectId?: string;
}

/** Fields that memory results and document results share. */
interface Ranked {
  /** The score, 0 to 1. */
  readonly score: number;
  /** The legs that returned it. */
  readonly matchType: "semantic" | "keyword" | "both";
  /** A snippet around the matches; absent where no word matches. */
  readonly highlights?: readonly string[];
  /** The explanation of the score; absent with `explain: false`. */
  readonly explain?: Explain;
  /** `true` where the caller pinned it; otherwise absent. */
  readonly pinned?: boolean;
  /** The ids of results that are folded under it; absent where there are none. */
  readonly folded?: readonly string[];
}

/** A memory that a search found. */
export interface MemoryResult extends Ranked {
  readonly type: "memory";
  /** The memory as it was before this search reinforced it. */
  readonly memory: Memory;
  /** The session that created it; absent where no session is known. */
  readonly sourceSession?: MemorySession;
  readonly isSuperseded: boolean;
  /** The newest live memory that supersedes it; absent where there is none. */
  readonly supersededBy?: {
    readonly id: string;
    /** Its first 200 characters. */
    readonly content: string;
    readonly createdAt?: number;
  };
  /** The number of live relationships that touch it. */
  readonly relatedMemoryCount: number;
}

/** A document that a search found by its best chunk. */
export interface MemoryDocumentResult extends Ranked {
  readonly type: "document";
  readonly documentId: string;
  readonly chunk: {
    readonly id: string;
    /** Its place among the document's chunks, from 0. */
    readonly index: number;
    readonly text: string;
    /** The start in the document, in characters. */
    readonly start: number;
    /** The end in the document, in characters. */
    readonly end: number;
    /** The record of the chunk. */
    readonly record: { readonly [field: string]: Json | undefined };
  };
}

/** A memory that the keyword leg found. */
export interface MemoryFtsResult {
  readonly memoryId: string;
  /** FTS5's `bm25()`: negative, lower is better. */
  readonly rank: number;
  /** HTML, with matches between `<mark>` and `</mark>`. */
  readonly snippet: string;
}

/** A memory that the vector leg found. */
export interface MemoryVectorResult {
  readonly memoryId: string;
  /** The cosine distance: 0 for the same direction. */
  readonly distance: number;
  /** 1 − distance. */
  readonly similarity: number;
}

/** The memories around a memory. */
export interface TimelineResult extends Answered {
  readonly anchor: Memory;
  /** Oldest first. */
  readonly before: readonly Memory[];
  /** Oldest first. */
  readonly after: readonly Memory[];
  /** The sessions that last used them, by id. */
  readonly sessions: ReadonlyMap<string, MemorySession>;
}

/** The session that used a memory last. */
export interface SessionContext extends Answered {
  readonly session: MemorySession;
  /** The number of different memories that the session used. */
  readonly memoriesInSession: number;
  readonly usageType: MemoryUsage;
}

/** A session to begin, or fields to add to one. */
export interface NewMemorySession {
  readonly id: string;
  readonly projectId?: string;
  /** In milliseconds since 1970, or as a date. The first call sets it to now by default. */
  readonly startedAt?: number | string | Date;
  readonly endedAt?: number | string | Date;
  readonly summary?: string;
}

/** A memory that `memory.search` found, under the name of the source document. */
export type SearchResult = MemoryResult;

/** A memory that `memory.searchFts` found, under the name of the source document. */
export type FTSResult = MemoryFtsResult;

/** A memory that `memory.searchVector` found, under the name of the source document. */
export type VectorResult = MemoryVectorResult;

/** The weights of a score, under the name of the source document. */
export type RankingWeights = MemoryWeights;
