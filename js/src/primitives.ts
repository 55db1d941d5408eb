// The small functions that search is made of. They are pure, need no WebAssembly, and give the bits that the Rust library
// gives (snapseek::primitives): tests/primitives.json holds both to the same cases.

import { logarithm } from "./logarithm.js";
import { milliseconds, type Moment } from "./moment.js";

export type { Moment };

const MAX_WORDS = 20;
const MILLISECONDS_A_DAY = 86_400_000;
/** What counts as a gap between words. An expression ends at a NUL, so that is one. */
const GAP = /["()*\-^\0\p{White_Space}]+/u;

/** A result of a search: its id, or an object with one. */
export type RankedResult = string | { readonly id: string };

/** A result of a vector search. */
export interface SimilarityResult {
  readonly id: string;
  /** The cosine of its vector and the query's, −1 to 1: higher is better. */
  readonly similarity: number;
}

/** A result of a full-text search. */
export interface FtsSearchResult {
  readonly id: string;
  /** FTS5's rank: negative, lower is better. */
  readonly rank: number;
}

/** A result whose id is unique within its kind. A bare id, and a result without a kind, are of kind `"document"`. */
export type KindedResult = string | { readonly id: string; readonly kind?: string };

/** The numbers of {@link weightedRankFusion}. */
export interface WeightedFusionOptions {
  /** The constant of reciprocal rank fusion, 0 or more. Defaults to 60. */
  readonly k?: number;
  /** The weight of each list; further lists have weight 1. Defaults to `[2, 2]`. */
  readonly weights?: readonly number[];
  /** The bonus of each rank, from 0; further ranks have none. Defaults to `[0.05, 0.02, 0.02]`. */
  readonly bonuses?: readonly number[];
}

/** A result of {@link weightedRankFusion}. */
export interface WeightedResult {
  readonly id: string;
  readonly kind: string;
  /** The sum of the parts. */
  readonly score: number;
  /** The part that each list adds; 0 where the list lacks the result. */
  readonly parts: readonly number[];
}

/** What Zod, and others like it, throw. */
export interface IssuesError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** About how many tokens a text is for a language model: a quarter of its UTF-16 units, rounded up. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/**
 * An FTS5 expression that matches what holds any of the words of a query; it always parses.
 *
 * The characters `" ( ) * - ^` count as spaces. Words of one character are left out, and those after the twentieth.
 * Where no word is left it is `""`, which matches nothing.
 */
export function buildFts5Query(query: string): string {
  const words = query.split(GAP).filter((word) => word.length > 2 || Array.from(word).length > 1);
  return words.length === 0 ? '""' : words.slice(0, MAX_WORDS).map((word) => `"${word}"`).join(" OR ");
}

/**
 * Fuses two lists, best first, by their ranks alone: Σ 1 / (k + rank + 1), with ranks from 0.
 *
 * An id that a list repeats counts once in it, at its best rank.
 *
 * @param k Defaults to 60.
 * @returns Scores by id, best first; equal scores in the order of ids.
 */
export function reciprocalRankFusion(
  vector: readonly RankedResult[],
  fts: readonly RankedResult[],
  k = 60,
): Map<string, number> {
  const scores = new Map<string, number>();
  for (const list of [vector, fts]) {
    const seen = new Set<string>();
    list.forEach((result, rank) => {
      const id = typeof result === "string" ? result : result.id;
      if (!seen.has(id)) scores.set(id, (scores.get(id) ?? 0) + 1 / (k + rank + 1));
      seen.add(id);
    });
  }
  return new Map([...scores].sort(([a, aScore], [b, bScore]) => bScore - aScore || compareCodePoints(a, b)));
}

/**
 * Fuses any number of lists, best first, by weighted ranks: Σ weight / (k + rank + 1) + bonus, with ranks from 0. The unified
 * recipe fuses so.
 *
 * Results are the same where both id and kind are. A result that a list repeats counts once in it, at its best rank.
 *
 * ```js
 * const [best] = weightedRankFusion([keywordHits, vectorHits, variantHits], { weights: [2, 2, 0.5] });
 * ```
 *
 * @returns The results, best first; of equal scores, the one that was seen first: lists in their order, each from its best
 * rank.
 * @throws RangeError where an option is not a finite number, or `k` is negative.
 */
export function weightedRankFusion(
  lists: readonly (readonly KindedResult[])[],
  { k = 60, weights = [2, 2], bonuses = [0.05, 0.02, 0.02] }: WeightedFusionOptions = {},
): WeightedResult[] {
  requireFinite({ k: [k], weights, bonuses });
  if (k < 0) throw new RangeError(`k: must be 0 or more, not ${k}`);
  const fused = new Map<string, { readonly id: string; readonly kind: string; readonly parts: number[] }>();
  lists.forEach((list, number) => {
    const seen = new Set<string>();
    list.forEach((result, rank) => {
      const { id, kind = "document" } = typeof result === "string" ? { id: result } : result;
      const key = JSON.stringify([id, kind]);
      if (seen.has(key)) return;
      seen.add(key);
      const entry = fused.get(key) ?? { id, kind, parts: lists.map(() => 0) };
      entry.parts[number] = (weights[number] ?? 1) / (k + rank + 1) + (bonuses[rank] ?? 0);
      fused.set(key, entry);
    });
  });
  const results = Array.from(fused.values(), (entry) => ({ ...entry, score: entry.parts.reduce((sum, part) => sum + part, 0) }));
  // The sort is stable, so results of equal score stay in the order in which they were seen.
  return results.sort((a, b) => b.score - a.score);
}

function requireFinite(options: { readonly [name: string]: readonly number[] }): void {
  for (const [name, numbers] of Object.entries(options)) {
    const wrong = numbers.find((number) => !Number.isFinite(number));
    if (wrong !== undefined) throw new RangeError(`${name}: must be finite, not ${String(wrong)}`);
  }
}

/** The order of Rust's strings. JavaScript's own puts characters beyond the basic plane before some within it. */
function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

/** Divides scores by the greatest of them, or by 1e-10 where none is greater. A new map in the same order. */
export function normaliseRrfScores(scores: ReadonlyMap<string, number>): Map<string, number> {
  let greatest = 1e-10;
  for (const score of scores.values()) if (score > greatest) greatest = score;
  return new Map(Array.from(scores, ([id, score]) => [id, score / greatest]));
}

/**
 * What something of this age is worth: 1 when new, 0.59 after a day, 0.32 after a week. A date in the future counts as
 * now.
 *
 * @param floor What it is worth at least. Defaults to 0.
 * @throws RangeError where a string is no date.
 */
export function recencyBoost(createdAt: Moment, now: Moment, floor = 0): number {
  const age = milliseconds(now, "now") - milliseconds(createdAt, "createdAt");
  const days = age > 0 ? age / MILLISECONDS_A_DAY : 0;
  const boost = 1 / (1 + logarithm(1 + days));
  return floor > boost ? floor : boost;
}

/** Words what is wrong with a value, in one line: `limit: too large, not whole; (root): unknown key`. */
export function formatZodError(error: IssuesError): string {
  const fields = new Map<string, string[]>();
  for (const { path, message } of error.issues) {
    const field = path.length === 0 ? "(root)" : path.map(String).join(".");
    const messages = fields.get(field);
    if (messages) messages.push(message);
    else fields.set(field, [message]);
  }
  return Array.from(fields, ([field, messages]) => `${field}: ${messages.join(", ")}`).join("; ");
}

/** |x| / (1 + |x|), below 1 for every number; 0 for what is not finite. */
export function bm25Normalize(x: number): number {
  if (!Number.isFinite(x)) return 0;
  // From 2⁵³ on, adding 1 changes nothing, and the quotient would be 1.
  return Math.min(Math.abs(x) / (1 + Math.abs(x)), 1 - Number.EPSILON / 2);
}

/**
 * The cosine of two vectors, from −1 to 1; numbers count as 32-bit floats, as in the engine.
 *
 * 0 where their lengths differ, where one is all zeros, and where a number in them is not finite.
 */
export function cosineSimilarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return 0;
  let [dot, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [Math.fround(a[i]!), Math.fround(b[i]!)];
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  const cosine = dot / Math.sqrt(ofA * ofB);
  return Number.isFinite(cosine) ? Math.max(-1, Math.min(1, cosine)) : 0;
}
