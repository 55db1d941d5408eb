import type { Stages } from "./recipe.types.js";
import type { Embed, ExplainedPart, Json } from "./types.js";

/** What a memory is about. Others can be used, too; they are neither boosted nor lowered. */
export type MemorySector = "episodic" | "semantic" | "procedural" | "emotional" | "reflective";

/** How far a memory reaches. */
export type MemoryTier = "session" | "project" | "global";

/** What a session did with a memory. */
export type MemoryUsage = "created" | "recalled" | "updated" | "reinforced";

/** Which legs of a search run: both, vectors, or words. */
export type MemoryMode = "hybrid" | "semantic" | "keyword";

/** A memory, as it is now. What a record lacks is absent. */
export interface Memory {
  readonly id: string | number;
  readonly kind: "memory";
  readonly projectId?: string;
  readonly content: string;
  readonly summary?: string;
  readonly sector?: MemorySector | (string & {});
  readonly tier?: MemoryTier;
  /** How much it matters, 0 to 1. */
  readonly salience?: number;
  /** How slowly it fades, 0 to 1. */
  readonly importance?: number;
  readonly tags?: readonly string[];
  readonly concepts?: readonly string[];
  readonly files?: readonly string[];
  /** When it was made, in milliseconds. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** When it was last recalled or reinforced. */
  readonly lastAccessed?: number;
  readonly validFrom?: number;
  /** From when on it is superseded. */
  readonly validUntil?: number;
  readonly isDeleted?: boolean;
  readonly [field: string]: Json | undefined;
}

/** A memory to create. */
export interface NewMemory {
  readonly content: string;
  /** Defaults to one that no other memory has. */
  readonly id?: string | number;
  readonly summary?: string;
  /** Defaults to `"semantic"`. */
  readonly sector?: MemorySector | (string & {});
  /** Defaults to `"project"`. */
  readonly tier?: MemoryTier;
  /** How much it matters, 0 to 1. Defaults to 1. */
  readonly salience?: number;
  /** How slowly it fades, 0 to 1. Defaults to 0.5. */
  readonly importance?: number;
  readonly tags?: readonly string[];
  readonly concepts?: readonly string[];
  readonly files?: readonly string[];
  /** In milliseconds, or as a date. Defaults to now. */
  readonly createdAt?: number | string | Date;
  readonly validFrom?: number | string | Date;
  readonly validUntil?: number | string | Date;
  /** Its vector. Defaults to what `embed`, or else the snapshot's own embedder, makes of it. */
  readonly vector?: ArrayLike<number>;
  /** Embeds it. Defaults to what `open` was given. */
  readonly embed?: Embed;
  /** Whose vector it is. Defaults to the schema's first model. */
  readonly model?: string;
}

/** What `create` did. */
export interface MemoryCreated {
  readonly id: string;
  readonly memory: Memory;
  /** Whether vectors can find it. */
  readonly embedded: boolean;
  /** Why it could not be embedded; absent where that did not fail. */
  readonly warnings?: readonly string[];
}

/** What the four signals of a score count. */
export interface MemoryWeights {
  /** How near the vectors are. Defaults to 0.4. */
  readonly semantic?: number;
  /** How well words match. Defaults to 0.25. */
  readonly keyword?: number;
  /** How much a memory matters. Defaults to 0.2. */
  readonly salience?: number;
  /** How new it is. Defaults to 0.15. */
  readonly recency?: number;
  /**
   * By sector, what the score is multiplied by. Defaults to 1.2 for reflective, 1.1 for semantic, 1 for procedural, 0.9
   * for emotional, 0.8 for episodic memories, and 1 for others.
   */
  readonly sectorBoost?: { readonly [sector: string]: number };
}

/** What holds for all calls of an engine's memory recipe. */
export interface MemorySettings {
  /** What signals count. What a call gives goes before. */
  readonly weights?: MemoryWeights;
  /** Lets salience fade since a memory was last accessed; worked out when it is read, never stored. Defaults to `false`. */
  readonly decay?: boolean;
}

/** What is asked of `memory.search`. */
export interface MemorySearchOptions extends Stages {
  readonly query: string;
  /** Only memories of this project. Defaults to all. */
  readonly projectId?: string;
  /** Only memories of this sector, or of these. Defaults to all. */
  readonly sector?: MemorySector | (string & {}) | readonly string[];
  /** Only memories of this tier, or of these. Defaults to all. */
  readonly tier?: MemoryTier | readonly MemoryTier[];
  /** How many results, best first: 1 to 1000. Defaults to 10. */
  readonly limit?: number;
  /** Only memories that matter at least this much, 0 to 1. Defaults to 0. */
  readonly minSalience?: number;
  /** Finds documents, too, each by its best chunk. Defaults to `false`. */
  readonly includeDocuments?: boolean;
  /** Finds superseded memories, too. Defaults to `false`. */
  readonly includeSuperseded?: boolean;
  /** Only memories that this session used; it is noted that it recalled what is returned. Defaults to all. */
  readonly sessionId?: string;
  /** The session that recalls what is returned; this is no filter. Defaults to `sessionId`. */
  readonly recallSessionId?: string;
  /** Defaults to `"hybrid"`. */
  readonly mode?: MemoryMode;
  /** Reinforces what is returned, and notes it in the session. Defaults to `true`. */
  readonly track?: boolean;
  /** What signals count. Defaults to the engine's settings. */
  readonly weights?: MemoryWeights;
  /** Gives highlights as text. Defaults to `false`: they are safe as HTML. */
  readonly raw?: boolean;
  /** The query's vector. Defaults to what `embed`, or else the snapshot's own embedder, makes of the query. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the query. Defaults to what `open` was given. */
  readonly embed?: Embed;
  /** Whose vectors are compared. Defaults to the schema's first model. */
  readonly model?: string;
  /** The time to reckon from, in milliseconds. Defaults to now. */
  readonly now?: number;
}

/** What a search for memories answers. */
export interface MemoryResponse<Result> {
  readonly query: string;
  /** Which legs ran. */
  readonly mode: MemoryMode;
  /** How many candidates each leg gave; absent where it did not run. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** Whose vectors were compared; absent where none were. */
  readonly model?: string;
  /** Whether something that was asked for could not be done. */
  readonly degraded: boolean;
  /** What, and why; absent where all was done. */
  readonly warnings?: readonly string[];
  /** How many have vectors that cannot be compared: of another model, or another width. */
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

/** What memories and documents that were found have in common. */
interface Found {
  /** How well it fits, 0 to 1. */
  readonly score: number;
  /** Which legs gave it. */
  readonly matchType: "semantic" | "keyword" | "both";
  /** A few words around the matches; absent where no word matches. */
  readonly highlights?: readonly string[];
  /** What made the score: the products add up, and are multiplied by the factors. */
  readonly explain: {
    readonly parts: readonly ExplainedPart[];
    readonly factors: readonly { readonly name: string; readonly value: number }[];
  };
  /** `true` where it is here because it was pinned; absent where it is not. */
  readonly pinned?: boolean;
  /** The ids of results that are folded under it; absent where there are none. */
  readonly folded?: readonly string[];
}

/** A memory that was found. */
export interface MemoryResult extends Found {
  readonly type: "memory";
  /** The memory, as it was before this search reinforced it. */
  readonly memory: Memory;
  /** The session that created it; absent where none is known to have. */
  readonly sourceSession?: MemorySession;
  readonly isSuperseded: boolean;
  /** The newest memory that supersedes it; absent where none does. */
  readonly supersededBy?: {
    readonly id: string;
    /** Its first 200 characters. */
    readonly content: string;
    readonly createdAt?: number;
  };
  /** How many live relationships touch it. */
  readonly relatedMemoryCount: number;
}

/** A document that was found, by its best chunk. */
export interface MemoryDocumentResult extends Found {
  readonly type: "document";
  readonly documentId: string;
  readonly chunk: {
    readonly id: string;
    /** Its place among the document's chunks, from 0. */
    readonly index: number;
    readonly text: string;
    /** Where it starts in the document, in characters. */
    readonly start: number;
    /** Where it ends. */
    readonly end: number;
    /** The record it is stored as. */
    readonly record: { readonly [field: string]: Json | undefined };
  };
}

/** A memory that words found. */
export interface MemoryFtsResult {
  readonly memoryId: string;
  /** FTS5's `bm25()`: negative, lower is better. */
  readonly rank: number;
  /** HTML, with matches between `<mark>` and `</mark>`. */
  readonly snippet: string;
}

/** A memory that vectors found. */
export interface MemoryVectorResult {
  readonly memoryId: string;
  /** The cosine distance: 0 is the same. */
  readonly distance: number;
  /** 1 − distance. */
  readonly similarity: number;
}

/** The memories around one. */
export interface TimelineResult {
  readonly anchor: Memory;
  /** Oldest first. */
  readonly before: readonly Memory[];
  /** Oldest first. */
  readonly after: readonly Memory[];
  /** The sessions that last used them, by id. */
  readonly sessions: ReadonlyMap<string, MemorySession>;
}

/** How a memory was used last. */
export interface SessionContext {
  readonly session: MemorySession;
  /** How many memories the session used. */
  readonly memoriesInSession: number;
  readonly usageType: MemoryUsage;
}

/** A session to begin, or to say more of. */
export interface NewMemorySession {
  readonly id: string;
  readonly projectId?: string;
  /** In milliseconds, or as a date. Defaults to now. */
  readonly startedAt?: number | string | Date;
  readonly endedAt?: number | string | Date;
  readonly summary?: string;
}
