import type { Recipe, Stages } from "./recipe.types.js";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A record to build from or to add: a flat object with an id. It is kept as `JSON.stringify` writes it, so `undefined` is
 * left out and a `Date` becomes an ISO string.
 */
export interface RecordInput {
  /** The record's id; a whole number is kept as a string. */
  readonly id: string | number;
  /** The record's kind; an id is unique within its kind. Defaults to `"document"`. */
  readonly kind?: string | undefined;
  /** Text fields, attributes, and whatever else is to be stored. */
  readonly [field: string]: unknown;
}

/** A record of a type of yours: an interface needs no more than an id to be one. */
export interface Identified {
  /** The record's id; a whole number is kept as a string. */
  readonly id: string | number;
  /** The record's kind; an id is unique within its kind. Defaults to `"document"`. */
  readonly kind?: string | undefined;
}

/** A record as it is stored. */
export interface StoredRecord {
  readonly id: string | number;
  readonly kind?: string;
  readonly [field: string]: Json | undefined;
}

/** What names a record: its id, or its id and kind. The kind defaults to `"document"`. */
export type RecordKey = string | number | { readonly id: string | number; readonly kind?: string | undefined };

/** The type of an attribute. A `time` is milliseconds since 1970 or an ISO 8601 date. */
export type AttributeType = "keyword" | "keywords" | "number" | "bool" | "time";

/** A schema for records of a known shape, and the recipe of that name. */
export type PresetName = "hybrid" | "memory" | "rag" | "unified" | "vault";

/** What is text, what is an attribute, and how text is broken into terms. */
export interface Schema {
  /** FTS5's `tokenize=` string. Defaults to `"porter unicode61"`. */
  readonly tokenizer?: string;
  /** Breaks runs of CJK characters into terms of two. By default a run is one term, as in FTS5. */
  readonly cjk?: "bigrams";
  /** Keeps words as written beside their stems, for `asYouType`, `typos` and `suggest`. Defaults to `false`. */
  readonly forms?: boolean;
  /** What answers where a question names no recipe. Defaults to `"hybrid"`. */
  readonly recipe?: PresetName;
  /** The text fields, in FTS5's column order. */
  readonly fields: { readonly [name: string]: TextField };
  /** What can be filtered and counted. Defaults to nothing. */
  readonly attributes?: { readonly [name: string]: AttributeType };
  /** The models whose vectors records have. Defaults to none. */
  readonly vectors?: { readonly [name: string]: VectorModel };
}

/** A model whose vectors records have. */
export interface VectorModel {
  /**
   * How precisely vectors are kept: four bytes a number, one byte, or one bit with a byte behind it for the best ones.
   * Defaults to `"i8"`.
   */
  readonly encoding?: "f32" | "i8" | "i1";
  /** What near means. Defaults to `"cosine"`. */
  readonly metric?: "cosine" | "dot" | "euclidean";
  /** How many numbers a vector has, 1 to 4096. Defaults to what the first one has. */
  readonly width?: number;
  /** The field of a record that holds its vector, an array or typed array. It is not stored with the record. */
  readonly field?: string;
  /** The text fields that are embedded. Defaults to all. */
  readonly text?: readonly string[];
  /** What the snapshot itself embeds queries and new records with. Defaults to nothing. */
  readonly embedder?: "hash" | "static";
  /** Which model made the vectors. */
  readonly id?: string;
  /** What tells two versions of that model apart. */
  readonly fingerprint?: string;
}

/** Makes vectors of texts, one each, in order. */
export type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]> | readonly ArrayLike<number>[];

/** A piece of a text. */
export interface Chunk {
  /** The piece, as it stands in the text. */
  readonly chunkText: string;
  /** Its place among the chunks, from 0. */
  readonly chunkIndex: number;
  /** About how many tokens it is, as `estimateTokens` counts. */
  readonly tokenCount: number;
  /** The characters (code points, not UTF-16 units) of the text before it. */
  readonly charOffset: number;
}

/** A field that is searched. */
export interface TextField {
  /** What an occurrence in this field counts, in bm25. Defaults to 1. */
  readonly weight?: number;
}

/** A value that an attribute is compared with. */
export type FilterValue = string | number | boolean | Date;

/** What is asked of an attribute; all of it has to hold. */
export interface FilterTest {
  /** It is this value, or one of these. */
  readonly eq?: FilterValue | readonly FilterValue[];
  /** It is not this value, and none of these. */
  readonly ne?: FilterValue | readonly FilterValue[];
  /** It has one of these values. */
  readonly any?: readonly FilterValue[];
  /** It has all of these values. */
  readonly all?: readonly FilterValue[];
  /** It has none of these values. */
  readonly none?: readonly FilterValue[];
  /** It is greater than this. */
  readonly gt?: FilterValue;
  /** It is at least this. */
  readonly gte?: FilterValue;
  /** It is less than this. */
  readonly lt?: FilterValue;
  /** It is at most this. */
  readonly lte?: FilterValue;
  /** It has a value, or has none. */
  readonly exists?: boolean;
}

/**
 * Conditions on attributes, `id` and `kind`; all of them have to hold. A plain value or array stands for `eq`, `null` for
 * an attribute without a value.
 *
 * @example { project: "web", tags: { any: ["a", "b"] }, createdAt: { gte: "2024-01-01" }, not: { archived: true } }
 */
export interface Filter {
  /** These do not hold. */
  readonly not?: Filter;
  /** At least one of these holds. */
  readonly or?: readonly Filter[];
  /** All of these hold. */
  readonly and?: readonly Filter[];
  /** What is asked of an attribute. */
  readonly [attribute: string]: FilterValue | readonly FilterValue[] | FilterTest | Filter | readonly Filter[] | null | undefined;
}

/** The arguments of FTS5's `snippet()`. The text is not escaped. */
export interface MatchSnippet {
  /** The field, by number or name; −1 is the best one. */
  readonly column: number | string;
  /** What stands before a match. */
  readonly open: string;
  /** What stands after a match. */
  readonly close: string;
  /** What stands where text is left out. */
  readonly ellipsis: string;
  /** The most tokens, up to 64. */
  readonly tokens: number;
}

/** The arguments of FTS5's `highlight()`. The text is not escaped. */
export interface MatchHighlight {
  /** The field, by number or name. */
  readonly column: number | string;
  /** What stands before a match. */
  readonly open: string;
  /** What stands after a match. */
  readonly close: string;
}

/** What is asked of `match`. */
export interface MatchOptions {
  /** How many rows to return, best first. Defaults to all. */
  readonly limit?: number;
  /** The weights of the first fields, as `bm25()` takes them; further ones are 1. Defaults to the schema's. */
  readonly weights?: readonly number[];
  /** How a snippet is cut. Defaults to none. */
  readonly snippet?: MatchSnippet;
  /** How a field is highlighted. Defaults to none. */
  readonly highlight?: MatchHighlight;
  /** Conditions on attributes. Defaults to none. */
  readonly filter?: Filter;
}

/** A row that matches an FTS5 expression. */
export interface MatchRow {
  readonly id: string;
  readonly kind: string;
  /** FTS5's `bm25()`: negative, lower is better. */
  readonly rank: number;
  /** Where a snippet was asked for; `null` where the record lacks the field. */
  readonly snippet?: string | null;
  /** Where a highlight was asked for; `null` where the record lacks the field. */
  readonly highlight?: string | null;
}

/** How snippets and highlights are cut and marked. */
export interface SnippetOptions {
  /** The field a snippet is cut from. Defaults to the one with the best matches. */
  readonly field?: string;
  /** How many tokens a snippet has, 0 to 64; 0 gives none. Defaults to 24. */
  readonly tokens?: number;
  /** What stands before a match. Defaults to `"<mark>"`. */
  readonly open?: string;
  /** What stands after a match. Defaults to `"</mark>"`. */
  readonly close?: string;
  /** What stands where text is left out. Defaults to `"…"`. */
  readonly ellipsis?: string;
  /** Gives text as it is. Defaults to `false`: `& < > " '` in it are escaped, so that it is safe as HTML. */
  readonly raw?: boolean;
}

/** Which legs of a search run: words, vectors, or both. */
export type Mode = "keyword" | "vector" | "hybrid";

/** How two legs become one. */
export type Fusion = "auto" | "rrf" | "sum";

/** What is asked of `search`. */
export interface SearchOptions extends Stages {
  /** How many hits to return, best first: 1 to 1000. Defaults to 10. */
  readonly limit?: number;
  /** How many hits to leave out before the first. Defaults to 0. */
  readonly offset?: number;
  /** How to search: by words, by meaning, or both. Defaults to both, where the query has a vector. */
  readonly mode?: Mode;
  /** The query's vector. Defaults to what `embed`, or else the snapshot's own embedder, makes of the query. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the query. Defaults to what `open` was given. */
  readonly embed?: Embed;
  /** The model whose vectors are compared. Defaults to the schema's first. */
  readonly model?: string;
  /** Makes it an error where the query has no usable vector. Defaults to `false`. */
  readonly strict?: boolean;
  /**
   * How words and meaning become one: by the rule that evaluation found best, by places alone, or by a weighted sum of
   * scores. Defaults to `"auto"`.
   */
  readonly fusion?: Fusion;
  /** What meaning counts with `fusion: "sum"`, 0 to 1. Defaults to 0.5. */
  readonly alpha?: number;
  /** How many candidates each leg gives to be fused, 1 to 10,000. Defaults to 100, or twice a long page. */
  readonly candidates?: number;
  /** Lets scores fade with age. Defaults to not. */
  readonly recency?: {
    /** The attribute that tells when, of type `time`. Defaults to `"createdAt"`. */
    readonly field?: string;
    /** No score fades further than to this share, 0 to 1. Defaults to 0. */
    readonly floor?: number;
  };
  /** The time that ages are reckoned from, in milliseconds. Defaults to now. */
  readonly now?: number;
  /** Conditions on attributes. Defaults to none. */
  readonly filter?: Filter;
  /** Attributes whose values are counted over all matches. Defaults to none. */
  readonly facets?: readonly string[];
  /** Weights of fields, in place of the schema's. Defaults to none. */
  readonly weights?: { readonly [field: string]: number };
  /** Takes the last word for the beginning of one. Defaults to `false`. */
  readonly asYouType?: boolean;
  /** How many typing errors a word that the index lacks may have. Defaults to 0. */
  readonly typos?: 0 | 1 | 2;
  /** Counts all matches. Defaults to `false`: finding the best does not need it. */
  readonly count?: boolean;
  /** Fields that come back whole with their matches marked. Defaults to none. */
  readonly highlight?: readonly string[];
  /** How the snippet of a hit is cut, and how matches are marked. */
  readonly snippet?: SnippetOptions;
  /** Lets hits explain their scores. Defaults to `false`. */
  readonly explain?: boolean;
  /** Lets hits carry their record. Defaults to `false`. */
  readonly records?: boolean;
  /** A rule of one's own, in place of the built-in fusion. Defaults to that. */
  readonly recipe?: Recipe;
  /** Ends the search while it waits for `embed`; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A record that was found. */
export interface Hit<R extends object = StoredRecord> {
  readonly id: string;
  readonly kind: string;
  /** How well it fits: higher is better. */
  readonly score: number;
  /** A few words around the matches: HTML, unless `snippet.raw` was set. */
  readonly snippet?: string;
  /** The fields that were to be highlighted; `null` where the record lacks one. */
  readonly highlights?: { readonly [field: string]: string | null };
  /** `true` where it is here because it was pinned. */
  readonly pinned?: true;
  /** The ids of the records that are folded under it; absent where there are none. */
  readonly folded?: readonly string[];
  /** What made the score, where that was asked for. */
  readonly explain?: Explain;
  /** The record, where that was asked for. */
  readonly record?: Readonly<R>;
}

/** What made a score. */
export interface Explain {
  /** What words say; absent where none matches. */
  readonly keyword?: ExplainedKeyword;
  /** What vectors say; absent where they were not asked, or the record has none. */
  readonly vector?: {
    /** How near: the cosine, the inner product, or the negative distance. */
    readonly similarity: number;
    /** Its place among the nearest, from 0; absent where it is not among the candidates. */
    readonly place?: number;
  };
  /** What makes the score: the products add up to it, before it is multiplied by the factors. */
  readonly parts: readonly ExplainedPart[];
  /** The numbers that the sum is multiplied by. */
  readonly factors: readonly { readonly name: string; readonly value: number }[];
}

/** What was added to a score. */
export interface ExplainedPart {
  readonly name: string;
  /** What was measured. */
  readonly value: number;
  /** What it counts; absent where that differs from place to place. */
  readonly weight?: number;
  /** What it gives to the score. */
  readonly product: number;
}

/** What words say. The parts of the phrases add up to the negative of `bm25`. */
export interface ExplainedKeyword {
  /** FTS5's rank: lower is better. */
  readonly bm25: number;
  /** Its place among the best, from 0; absent where it is not among the candidates. */
  readonly place?: number;
  /** The number of tokens of the record; only from `search`, as the next two. */
  readonly length?: number;
  /** The average number of tokens per record. */
  readonly averageLength?: number;
  /** The share of each phrase. */
  readonly phrases?: readonly ExplainedPhrase[];
}

/** What one phrase gives to a score. */
export interface ExplainedPhrase {
  /** The phrase, as it was looked for. */
  readonly phrase: string;
  /** How many records have it. */
  readonly hits: number;
  /** What it tells: the rarer, the more. */
  readonly idf: number;
  /** Its weighted occurrences in this record. */
  readonly frequency: number;
  /** What it adds to the score. */
  readonly part: number;
}

/** The values of an attribute among the matches. */
export interface Facet {
  readonly attribute: string;
  /** The values, most frequent first. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

/** What `search` answers. */
export interface SearchResponse<R extends object = StoredRecord> {
  /** The query as it came. */
  readonly query: string;
  /** How it was searched. */
  readonly mode: Mode;
  /** How many candidates each leg gave; absent where it did not run. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** Whose vectors were compared; absent where none were. */
  readonly model?: string;
  /** How both legs became one; absent where one ran alone. */
  readonly fusion?: Fusion | "custom";
  /** The MATCH expression that stands for the query, before completions and corrections. */
  readonly expression: string;
  /** Words that the index lacks, and what was looked for instead; absent where there are none. */
  readonly corrected?: readonly { readonly word: string; readonly instead: readonly string[] }[];
  /** Whether something that was asked for could not be done. */
  readonly degraded: boolean;
  /** What could not be done, and why. */
  readonly warnings: readonly string[];
  /** How many milliseconds the call took, embedding included. */
  readonly elapsed: number;
  /** How many records match, where that was asked for. */
  readonly total?: number;
  /** The hits, best first. */
  readonly hits: readonly Hit<R>[];
  /** The counts that were asked for; absent where none were. */
  readonly facets?: readonly Facet[];
}

/** A word to go on with. */
export interface Suggestion {
  readonly word: string;
  /** How often it occurs. */
  readonly count: number;
}

/** What `add` did. */
export interface Written {
  /** How many records are now there. */
  readonly added: number;
  /** How many of them replaced one that was there before. */
  readonly replaced: number;
  /** Records that lost a vector, and the reason. */
  readonly warnings: readonly string[];
}

/** What `remove` did. */
export interface Removed {
  /** How many records were removed. */
  readonly removed: number;
  /** Keys that name no record. */
  readonly warnings: readonly string[];
}

/** A snapshot, and the files of its documents. */
export interface SplitSnapshot {
  readonly snapshot: Uint8Array<ArrayBuffer>;
  readonly docs: readonly Uint8Array<ArrayBuffer>[];
}
