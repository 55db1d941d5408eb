/** Steps after scoring, which every search offers. They run in the order of this list. */
export interface Stages {
  /** Finds only records that existed and were valid at this moment (`createdAt`, `validFrom`, `validUntil`). Defaults to off. */
  readonly asOf?: number | string | Date;
  /** The ids of records to put first, in this order, if they pass the filter. Defaults to none. */
  readonly pinned?: readonly string[];
  /** Drops records whose keyword and vector signals are both below this relevance, 0 to 1. Defaults to off. */
  readonly minRelevance?: number;
  /** Puts a hit under a better one if their similarity reaches this value, 0 to 1; `true` means 0.95. Defaults to `false`. */
  readonly fold?: boolean | number;
  /** λ of maximal marginal relevance, 0 to 1: 1 keeps the order of scores, less prefers variety. Defaults to 1. */
  readonly diversity?: number;
  /** Ends the page before the texts of its hits exceed this number of tokens, estimated. The first hit always stays. Defaults to no limit. */
  readonly maxTokens?: number;
}

/** A scoring rule of your own, in place of the built-in fusion. docs/recipes.md has examples. */
export interface Recipe {
  /** How candidates are found. */
  readonly retrieve?: {
    /** The legs that run. Defaults to both if the query has a vector. */
    readonly mode?: "keyword" | "vector" | "hybrid";
    /** Matches records with any word, with all words, or with any word as a prefix. Defaults to `"any"`. */
    readonly words?: "any" | "all" | "prefix";
    /** The number of candidates per leg, 1 to 10,000. Defaults to 100, or to twice the page where that is more. */
    readonly candidates?: number;
  };
  /** The signals to add up, by the names that explanations show. */
  readonly signals: { readonly [name: string]: RecipeSignal };
  /** The factors to multiply the sum by. Defaults to none. */
  readonly factors?: { readonly [name: string]: RecipeSignal };
  /** Adds up the values of the signals, or the reciprocals of their ranks. Defaults to `"sum"`. */
  readonly fuse?: "sum" | "rrf";
  /** The constant of `"rrf"`. Defaults to 60. */
  readonly k?: number;
  /** Clamps scores to 0 to 1. Defaults to `false`. */
  readonly clamp?: boolean;
  /** Steps after scoring. Defaults to none. */
  readonly rerank?: Stages;
}

/** A signal: a measure and its weight. Without `measure`, the signal's name is the measure, or else the attribute to read. */
export type RecipeSignal = RecipeMeasure & {
  /** The weight. Defaults to 1. */
  readonly weight?: number;
};

/** A measure of a candidate. */
export type RecipeMeasure =
  | {
      /** The bm25 of the words, as a positive number, or the similarity of the vectors. */
      readonly measure?: "bm25" | "vector";
      /**
       * Transforms the number: `"plain"` keeps it, `"saturated"` gives x / (1 + x), `"positive"` raises negative numbers to 0,
       * and `"ofGreatest"` divides by the greatest among the candidates. Defaults to `"plain"` for bm25 and `"positive"` for
       * vectors.
       */
      readonly curve?: "plain" | "saturated" | "positive" | "ofGreatest";
      /** Divides by this number and limits the result to 1, in place of a curve. */
      readonly cap?: number;
    }
  | {
      /** The place among the keyword candidates, from 1 down to 0, or the share of the query's terms in the record. */
      readonly measure: "place" | "overlap";
    }
  | {
      /** A value that falls with age: logarithmically, or exponentially by `rate` per day or by half per `halfLife` days. */
      readonly measure?: "recency";
      /** The attribute of type `time`. Defaults to `"createdAt"`. */
      readonly field?: string;
      /** The exponential rate per day. */
      readonly rate?: number;
      /** The half-life in days. */
      readonly halfLife?: number;
      /** The least value of the logarithmic curve, 0 to 1. Defaults to 0. */
      readonly floor?: number;
      /** The value for records without a time. Defaults to 0. */
      readonly default?: number;
    }
  | {
      /** The number in an attribute, or the number that `values` gives to its keyword. */
      readonly measure?: "field";
      /** The attribute. Defaults to the signal's name. */
      readonly field?: string;
      /** A number per keyword; required for attributes of keywords. */
      readonly values?: { readonly [word: string]: number };
      /** The value for records without the attribute. Defaults to 0, for `salience` to 1. */
      readonly default?: number;
    }
  | {
      /** The Jaccard index of the record's keywords and the given ones. */
      readonly measure: "shared";
      /** The attribute. Defaults to the signal's name. */
      readonly field?: string;
      /** The given keywords. */
      readonly with: readonly string[];
    }
  | {
      /** 1 if the attribute has this value, otherwise 0. */
      readonly measure: "equal";
      /** The attribute. Defaults to the signal's name. */
      readonly field?: string;
      /** The value. */
      readonly to: string;
    }
  | {
      /** The greatest of several measures, each multiplied by its `scale` (1 by default). */
      readonly measure: "greatest";
      readonly of: { readonly [name: string]: RecipeMeasure & { readonly scale?: number } };
    };
