import type { Recipe, Stages } from "./recipe.types.js";
import type { ModelSource } from "./source.js";

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A record to build from or to add: a flat object with an id.
 *
 * The engine stores it as `JSON.stringify` writes it: properties that are `undefined` are left out, and a `Date` becomes an
 * ISO 8601 string.
 */
export interface RecordInput {
  /** The id, unique within the kind. An integer is stored as a string. */
  readonly id: string | number;
  /** The kind of record. Defaults to `"document"`. */
  readonly kind?: string | undefined;
  /** Text fields and attributes, as the schema names them. All other properties are stored, but not searched. */
  readonly [field: string]: unknown;
}

/** A record of your own type: any object with an id. */
export interface Identified {
  /** The id, unique within the kind. An integer is stored as a string. */
  readonly id: string | number;
  /** The kind of record. Defaults to `"document"`. */
  readonly kind?: string | undefined;
}

/** A record as the engine stores it: plain JSON. */
export interface StoredRecord {
  readonly id: string | number;
  readonly kind?: string;
  readonly [field: string]: Json | undefined;
}

/** The key of a record: its id, or its id and kind. */
export type RecordKey = string | number | { readonly id: string | number; readonly kind?: string | undefined };

/** The type of an attribute. A `time` is a number of milliseconds since 1970 or an ISO 8601 date. */
export type AttributeType = "keyword" | "keywords" | "number" | "bool" | "time";

/** The name of a recipe: a way to rank records. */
export type RecipeName = "hybrid" | "memory" | "rag" | "unified" | "vault";

/** The name of a preset: a ready-made schema, searched by the recipe of the same name; `"docs"` by the recipe `"hybrid"`. */
export type PresetName = RecipeName | "docs";

/** Describes records: which properties are text, which are attributes, and how text is split into terms. */
export interface Schema {
  /** The tokenizer, as in FTS5's `tokenize=`. Defaults to `"porter unicode61"`. */
  readonly tokenizer?: string;
  /** Splits runs of Chinese, Japanese and Korean characters into overlapping pairs. By default a run is one term, as in FTS5. */
  readonly cjk?: "bigrams";
  /** Also indexes words as written, not only their stems, for `asYouType`, `typos` and `suggest`. Defaults to `false`. */
  readonly forms?: boolean;
  /** The recipe of a search that names none. Defaults to `"hybrid"`. */
  readonly recipe?: RecipeName;
  /** One or two keyword attributes that searches group hits by: the page, and the section of the page. Defaults to none. */
  readonly groupBy?: readonly string[];
  /** The text fields, in FTS5's column order. */
  readonly fields: { readonly [name: string]: TextField };
  /** The attributes, which can be filtered and counted. Defaults to none. */
  readonly attributes?: { readonly [name: string]: AttributeType };
  /** The embedding models that records have vectors of, by name. Defaults to none. */
  readonly vectors?: { readonly [name: string]: VectorModel };
}

/** An embedding model that records have vectors of. */
export interface VectorModel {
  /**
   * The precision of stored vectors: `"f32"` takes four bytes per number, `"i8"` one byte, and `"i1"` one bit, with one
   * byte per number to score the best candidates again. Defaults to `"i8"`.
   */
  readonly encoding?: "f32" | "i8" | "i1";
  /** The measure of similarity. Defaults to `"cosine"`. */
  readonly metric?: "cosine" | "dot" | "euclidean";
  /** The number of numbers in a vector, 1 to 4096. Defaults to the width of the first vector. */
  readonly width?: number;
  /** The property of a record that holds its vector, an array or typed array. It is not stored with the record. */
  readonly field?: string;
  /** The text fields to embed. Defaults to all. */
  readonly text?: readonly string[];
  /** The embedder inside the snapshot, which embeds queries and new records. Defaults to none. */
  readonly embedder?: "hash" | "static";
  /**
   * The static model of the embedder `"static"`, which `build` stores in the snapshot: the file of
   * `@snapseek/model-static-en`, or one that `snapseek model` wrote, by its URL, its path (in Node) or its content.
   */
  readonly model?: ModelSource | PromiseLike<ModelSource>;
  /** The name of the model that made the vectors. */
  readonly id?: string;
  /** A text that differs between two versions of that model. */
  readonly fingerprint?: string;
  /**
   * The weight of these vectors in the default fusion, 0 to 4. Defaults to 0.19, or 0.11 with the embedder `"static"` and
   * 0.05 with `"hash"`. `snapseek tune` finds the best weight for your own queries.
   */
  readonly trust?: number;
}

/** Embeds texts: returns one vector per text, in the same order. */
export type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]> | readonly ArrayLike<number>[];

/** A piece of a longer text. */
export interface Chunk {
  /** The piece, exactly as in the text. */
  readonly chunkText: string;
  /** The position among the chunks, from 0. */
  readonly chunkIndex: number;
  /** The number of tokens, estimated as `estimateTokens` does. */
  readonly tokenCount: number;
  /** The number of characters before the chunk, in code points rather than UTF-16 units. */
  readonly charOffset: number;
}

/** A text field of a schema. */
export interface TextField {
  /** The weight of the field's occurrences in bm25. Defaults to 1. */
  readonly weight?: number;
}

/** A value to compare an attribute with. */
export type FilterValue = string | number | boolean | Date;

/** The conditions on one attribute. All of them must hold. */
export interface FilterTest {
  /** Requires this value, or one of these. */
  readonly eq?: FilterValue | readonly FilterValue[];
  /** Excludes this value, or all of these. */
  readonly ne?: FilterValue | readonly FilterValue[];
  /** Requires at least one of these values. */
  readonly any?: readonly FilterValue[];
  /** Requires all of these values. */
  readonly all?: readonly FilterValue[];
  /** Excludes all of these values. */
  readonly none?: readonly FilterValue[];
  /** Requires a greater value. */
  readonly gt?: FilterValue;
  /** Requires this value or a greater one. */
  readonly gte?: FilterValue;
  /** Requires a smaller value. */
  readonly lt?: FilterValue;
  /** Requires this value or a smaller one. */
  readonly lte?: FilterValue;
  /** Requires some value if `true`, and no value if `false`. */
  readonly exists?: boolean;
}

/**
 * Conditions on attributes, `id` and `kind`. All of them must hold. A plain value or an array is short for `eq`; `null`
 * requires an attribute without a value.
 *
 * @example { project: "web", tags: { any: ["a", "b"] }, createdAt: { gte: "2024-01-01" }, not: { archived: true } }
 */
export interface Filter {
  /** Excludes records that this filter accepts. */
  readonly not?: Filter;
  /** Requires that at least one of these filters accepts the record. */
  readonly or?: readonly Filter[];
  /** Requires that all of these filters accept the record. */
  readonly and?: readonly Filter[];
  /** The conditions on one attribute. */
  readonly [attribute: string]: FilterValue | readonly FilterValue[] | FilterTest | Filter | readonly Filter[] | null | undefined;
}

/** The arguments of FTS5's `snippet()`. The text of the snippet is not escaped. */
export interface MatchSnippet {
  /** The field, by number or name; −1 chooses the field with the best matches. */
  readonly column: number | string;
  /** The text before each match. */
  readonly open: string;
  /** The text after each match. */
  readonly close: string;
  /** The text in place of omitted words. */
  readonly ellipsis: string;
  /** The greatest number of tokens, up to 64. */
  readonly tokens: number;
}

/** The arguments of FTS5's `highlight()`. The highlighted text is not escaped. */
export interface MatchHighlight {
  /** The field, by number or name. */
  readonly column: number | string;
  /** The text before each match. */
  readonly open: string;
  /** The text after each match. */
  readonly close: string;
}

/** The options of `match`. */
export interface MatchOptions {
  /** The number of rows to return, best first. Defaults to all. */
  readonly limit?: number;
  /** The weights of the first fields, in the order of `bm25()`'s arguments; the other fields weigh 1. Defaults to the schema's. */
  readonly weights?: readonly number[];
  /** Adds a snippet to every row. Defaults to none. */
  readonly snippet?: MatchSnippet;
  /** Adds a highlighted field to every row. Defaults to none. */
  readonly highlight?: MatchHighlight;
  /** Conditions on attributes. Defaults to none. */
  readonly filter?: Filter;
}

/** A row that matches an FTS5 expression. */
export interface MatchRow {
  readonly id: string;
  readonly kind: string;
  /** FTS5's `bm25()`: negative, and lower is better. */
  readonly rank: number;
  /** The snippet, if the options asked for one; `null` if the record lacks the field. */
  readonly snippet?: string | null;
  /** The highlighted field, if the options asked for one; `null` if the record lacks the field. */
  readonly highlight?: string | null;
}

/** How `search` cuts snippets and marks matches. */
export interface SnippetOptions {
  /** The field to cut the snippet from. Defaults to the field with the best matches. */
  readonly field?: string;
  /** The number of tokens in a snippet, 0 to 64; 0 gives no snippet. Defaults to 24. */
  readonly tokens?: number;
  /** The text before each match. Defaults to `"<mark>"`. */
  readonly open?: string;
  /** The text after each match. Defaults to `"</mark>"`. */
  readonly close?: string;
  /** The text in place of omitted words. Defaults to `"…"`. */
  readonly ellipsis?: string;
  /** Leaves the text unescaped. Defaults to `false`: `& < > " '` are escaped, and the snippet is safe to use as HTML. */
  readonly raw?: boolean;
}

/** The legs of a search that run: keywords, vectors, or both. */
export type Mode = "keyword" | "vector" | "hybrid";

/** The rule that combines the keyword leg and the vector leg. */
export type Fusion = "auto" | "rrf" | "sum";

/** The options of `search`. */
export interface SearchOptions extends Stages {
  /** The number of hits to return, best first: 1 to 1,000. Defaults to 10. */
  readonly limit?: number;
  /** The number of hits to skip: 0 to 100,000. Defaults to 0. */
  readonly offset?: number;
  /** Searches by keywords, by vectors, or by both. Defaults to both if the query has a vector, otherwise to keywords. */
  readonly mode?: Mode;
  /** The vector of the query. By default `embed` makes it, or else the snapshot's own embedder. */
  readonly vector?: ArrayLike<number>;
  /** Embeds the query. Defaults to the function that `open` or `build` was given. */
  readonly embed?: Embed;
  /** The model whose vectors are compared. Defaults to the schema's first. */
  readonly model?: string;
  /** Fails with `embed/failed` if the query has no usable vector. Defaults to `false`: such a search is `degraded`. */
  readonly strict?: boolean;
  /**
   * Combines keywords and vectors: `"auto"` by the rule that did best in the evaluation, `"rrf"` by reciprocal rank
   * fusion, `"sum"` by a weighted sum of scores. Defaults to `"auto"`.
   */
  readonly fusion?: Fusion;
  /** The weight of vectors with `fusion: "sum"`, 0 to 1; keywords weigh the rest. Defaults to 0.5. */
  readonly alpha?: number;
  /** The weight of vectors with `fusion: "auto"`, 0 to 4. Defaults to that of the model in the schema. */
  readonly trust?: number;
  /** The number of candidates per leg, 1 to 10,000. Defaults to 100, or to twice the page where that is more. */
  readonly candidates?: number;
  /** Lowers the scores of old records. Defaults to off. */
  readonly recency?: {
    /** The attribute of type `time` that dates a record. Defaults to `"createdAt"`. */
    readonly field?: string;
    /** The least share of its score that a record keeps, 0 to 1. Defaults to 0. */
    readonly floor?: number;
  };
  /** The moment that ages count from: milliseconds since 1970 or a date. Defaults to now. */
  readonly now?: number | string | Date;
  /** Conditions on attributes. Defaults to none. */
  readonly filter?: Filter;
  /** Attributes whose values are counted over all matches. Defaults to none. */
  readonly facets?: readonly string[];
  /** Weights by field, in place of the schema's. Defaults to none. */
  readonly weights?: { readonly [field: string]: number };
  /** Treats the last word as the beginning of a word. Defaults to `false`. */
  readonly asYouType?: boolean;
  /** The number of typing errors allowed in a word that the index lacks. Defaults to 0. */
  readonly typos?: 0 | 1 | 2;
  /** Counts all matches in `total`. Defaults to `false`, because finding the best hits does not need the count. */
  readonly count?: boolean;
  /** Fields to return whole, with their matches marked. Defaults to none. */
  readonly highlight?: readonly string[];
  /** How snippets are cut and matches are marked. */
  readonly snippet?: SnippetOptions;
  /**
   * One or two keyword attributes to group hits by: of all hits with the same value of the first, the best is returned, with
   * the next best as its `children`. `false` returns every hit by itself. Defaults to the schema's `groupBy`.
   */
  readonly groupBy?: string | readonly string[] | false;
  /** Adds an explanation of its score to every hit. Defaults to `false`. */
  readonly explain?: boolean;
  /** Adds the stored record to every hit. Defaults to `false`. */
  readonly records?: boolean;
  /** A scoring rule of your own, in place of the built-in fusion. Defaults to none. */
  readonly recipe?: Recipe;
  /** Cancels the search: the promise rejects with `signal.reason`. */
  readonly signal?: AbortSignal;
}

/** A record that a search found. */
export interface Hit<R extends object = StoredRecord> {
  readonly id: string;
  readonly kind: string;
  /**
   * The score; higher is better. With `fusion: "auto"` the best hit scores the response's `relevance`, so that scores of
   * different queries can be compared; other scores can be compared only within a response.
   */
  readonly score: number;
  /** Some words around the matches: HTML, unless `snippet.raw` was set. */
  readonly snippet?: string;
  /** The fields of `highlight`, with their matches marked; `null` if the record lacks the field. */
  readonly highlights?: { readonly [field: string]: string | null };
  /** `true` if the option `pinned` put the record here; otherwise absent. */
  readonly pinned?: true;
  /** The ids of similar records that the option `fold` put under this one; absent if there are none. */
  readonly folded?: readonly string[];
  /** The next best hits of the same group, at most three, where the search groups hits; absent if there are none. */
  readonly children?: readonly Hit<R>[];
  /** The explanation of the score, with `explain: true`. */
  readonly explain?: Explain;
  /** The stored record, with `records: true`. */
  readonly record?: Readonly<R>;
}

/** Explains a score: the sum of all `parts[].product`, multiplied by all `factors[].value`. */
export interface Explain {
  /** The keyword signal; absent if no word matches. */
  readonly keyword?: ExplainedKeyword;
  /** The vector signal; absent if vectors were not searched or the record has none. */
  readonly vector?: {
    /** The cosine, the inner product, or the negative distance, by the model's metric. */
    readonly similarity: number;
    /** The position among the nearest, from 0; absent if the record is not a candidate of the vector leg. */
    readonly place?: number;
  };
  /** The parts of the sum. */
  readonly parts: readonly ExplainedPart[];
  /** The factors that the sum is multiplied by; often empty. */
  readonly factors: readonly { readonly name: string; readonly value: number }[];
}

/** One part of the sum that makes a score. */
export interface ExplainedPart {
  readonly name: string;
  /** The measured value. */
  readonly value: number;
  /** The weight of the value; absent where the weight depends on the position. */
  readonly weight?: number;
  /** The contribution to the score. */
  readonly product: number;
}

/** The keyword signal of a hit. The `part` of all phrases add up to `-bm25`. */
export interface ExplainedKeyword {
  /** FTS5's rank; lower is better. */
  readonly bm25: number;
  /** The position among the keyword candidates, from 0; absent if the record is not one of them. */
  readonly place?: number;
  /** The number of tokens in the record. Only `search` reports this, `averageLength` and `phrases`. */
  readonly length?: number;
  /** The average number of tokens per record. */
  readonly averageLength?: number;
  /** The contribution of each phrase. */
  readonly phrases?: readonly ExplainedPhrase[];
}

/** The contribution of one phrase to bm25. */
export interface ExplainedPhrase {
  /** The phrase that was looked up. */
  readonly phrase: string;
  /** The number of records that contain it. */
  readonly hits: number;
  /** The inverse document frequency: the rarer the phrase, the higher. */
  readonly idf: number;
  /** The number of occurrences in this record, multiplied by the weights of their fields. */
  readonly frequency: number;
  /** The contribution to the score. */
  readonly part: number;
}

/** The values of an attribute among all matches. */
export interface Facet {
  readonly attribute: string;
  /** The values, most frequent first, each with the number of matches that have it. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

/** The response of `search`. */
export interface SearchResponse<R extends object = StoredRecord> {
  /** The query. */
  readonly query: string;
  /** The legs that ran. */
  readonly mode: Mode;
  /** The number of candidates from each leg; absent for a leg that did not run. */
  readonly legs: { readonly keyword?: number; readonly vector?: number };
  /** The model whose vectors were compared; absent if the vector leg did not run. */
  readonly model?: string;
  /** The rule that combined both legs; absent if only one ran. */
  readonly fusion?: Fusion | "custom";
  /** The query as a MATCH expression, before completion and correction. */
  readonly expression: string;
  /** Words that the index lacks, and the words searched instead; absent if there are none. */
  readonly corrected?: readonly { readonly word: string; readonly instead: readonly string[] }[];
  /** `true` if the engine could not do something that you asked for; `warnings` says what. */
  readonly degraded: boolean;
  /** Sentences that say what the engine could not do, and why. Often empty. */
  readonly warnings: readonly string[];
  /** The duration of the call in milliseconds, embedding included. */
  readonly elapsed: number;
  /** The number of records that match, with `count: true`. */
  readonly total?: number;
  /**
   * How well the best candidate belongs to the query, 0 to 1, with `fusion: "auto"`; absent otherwise. If it is too low,
   * nothing was found: `hits` is empty. Pass `minRelevance: 0` to get the nearest records all the same.
   */
  readonly relevance?: number;
  /** The query with corrected spelling, if nothing was found and another spelling finds something; else absent. */
  readonly suggestions?: readonly string[];
  /** The hits, best first. */
  readonly hits: readonly Hit<R>[];
  /** One entry per attribute of the option `facets`; absent without that option. */
  readonly facets?: readonly Facet[];
}

/** A word that completes what the user types. */
export interface Suggestion {
  readonly word: string;
  /** The number of occurrences. */
  readonly count: number;
}

/** The result of `add`. */
export interface Written {
  /** The number of records written. */
  readonly added: number;
  /** The number of them that replaced a record with the same key. */
  readonly replaced: number;
  /** Sentences about vectors that records lost or that name no record. Often empty. */
  readonly warnings: readonly string[];
}

/** The result of `remove`. */
export interface Removed {
  /** The number of records removed. */
  readonly removed: number;
  /** One sentence per key that names no record. Often empty. */
  readonly warnings: readonly string[];
}

/** A snapshot whose documents are in other files. */
export interface SplitSnapshot {
  readonly snapshot: Uint8Array<ArrayBuffer>;
  /** The files of documents, in order. */
  readonly docs: readonly Uint8Array<ArrayBuffer>[];
}
