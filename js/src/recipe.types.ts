/** What may happen to hits once they are scored, in any search. */
export interface Stages {
  /** Finds only what was there, and valid, at this moment. Defaults to no moment. */
  readonly asOf?: number | string | Date;
  /** The ids of records that come first, as far as they pass the filters. Defaults to none. */
  readonly pinned?: readonly string[];
  /** Drops what neither words nor vectors find so relevant, 0 to 1. Defaults to nothing. */
  readonly minRelevance?: number;
  /** Puts hits that are so much alike, 0 to 1, under the better one; `true` is 0.95. Defaults to `false`. */
  readonly fold?: boolean | number;
  /** λ of maximal marginal relevance, 0 to 1: 1 is the order of scores, less brings what is new forward. Defaults to 1. */
  readonly diversity?: number;
  /** Ends the page before the texts of its hits have more tokens than this together. Defaults to no bound. */
  readonly maxTokens?: number;
}

/** A rule of one's own, in place of the built-in fusion. docs/recipes.md has examples. */
export interface Recipe {
  /** Where candidates come from. */
  readonly retrieve?: {
    /** Which legs run. Defaults to both, where the query has a vector. */
    readonly mode?: "keyword" | "vector" | "hybrid";
    /** Whether any word is enough, all have to be there, or any as the beginning of a word. Defaults to `"any"`. */
    readonly words?: "any" | "all" | "prefix";
    /** How many candidates each leg gives, 1 to 10,000. Defaults to 100, or twice a long page. */
    readonly candidates?: number;
  };
  /** What is measured and added up, by the names that explanations use. */
  readonly signals: { readonly [name: string]: RecipeSignal };
  /** What the sum is multiplied by. Defaults to nothing. */
  readonly factors?: { readonly [name: string]: RecipeSignal };
  /** Whether signals are added up, or the places that they put hits in. Defaults to `"sum"`. */
  readonly fuse?: "sum" | "rrf";
  /** The constant of `"rrf"`. Defaults to 60. */
  readonly k?: number;
  /** Brings scores to 0 to 1. Defaults to `false`. */
  readonly clamp?: boolean;
  /** What happens to the hits once they are scored. Defaults to nothing. */
  readonly rerank?: Stages;
}

/** What a signal measures. Where `measure` is absent, the signal's name is the measure, or the attribute. */
export type RecipeSignal = RecipeMeasure & {
  /** What it counts. Defaults to 1. */
  readonly weight?: number;
};

/** What can be measured of a candidate. */
export type RecipeMeasure =
  | {
      /** How well words match; how near the vector is. */
      readonly measure?: "bm25" | "vector";
      /** How the raw number is curved. Defaults to `"plain"` for words, `"positive"` for vectors. */
      readonly curve?: "plain" | "saturated" | "positive" | "ofGreatest";
      /** Divides by this, and gives 1 at most. */
      readonly cap?: number;
    }
  | {
      /** Its place among what words found, 1 to 0; the share of the query's terms that it has. */
      readonly measure: "place" | "overlap";
    }
  | {
      /** What is left at its age: by the logarithm, or by `rate` a day, or by half in `halfLife` days. */
      readonly measure?: "recency";
      /** The attribute that tells when. Defaults to `"createdAt"`. */
      readonly field?: string;
      readonly rate?: number;
      readonly halfLife?: number;
      readonly floor?: number;
      /** For records without a time. Defaults to 0. */
      readonly default?: number;
    }
  | {
      /** A number of the record's own, or what its word is worth. */
      readonly measure?: "field";
      /** The attribute. Defaults to the signal's name. */
      readonly field?: string;
      /** What each word is worth; for attributes of words. */
      readonly values?: { readonly [word: string]: number };
      /** For records without. Defaults to 0, for `salience` to 1. */
      readonly default?: number;
    }
  | {
      /** How many words it shares with others: their Jaccard index. */
      readonly measure: "shared";
      readonly field?: string;
      readonly with: readonly string[];
    }
  | {
      /** 1 where it is this word, otherwise 0. */
      readonly measure: "equal";
      readonly field?: string;
      readonly to: string;
    }
  | {
      /** The greatest of several, each multiplied by its scale. */
      readonly measure: "greatest";
      readonly of: { readonly [name: string]: RecipeMeasure & { readonly scale?: number } };
    };
