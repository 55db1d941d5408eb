// The score of a memory (M4), as the memory recipe computes it: the bits are those of Rust's `recipe::memory::compute_score`.
// tests/primitives.json holds both to the same cases.

import { exponential } from "./exponential.js";
import type { MemoryWeights } from "./memory.types.js";
import { milliseconds, type Moment } from "./moment.js";

const MILLISECONDS_PER_DAY = 86_400_000;
/** A bm25 of this size or more gets the full keyword signal. */
const FULL_BM25 = 10;
/** The exponent by which recency falls per day. */
const AGEING = 0.05;
/** The factor of superseded memories. */
const SUPERSEDED = 0.5;

/** The fields of a memory that its score depends on. */
export interface ScoredMemory {
  /** The salience, 0 to 1. A memory without one counts as new, with 1. */
  readonly salience?: number | null | undefined;
  /** When it was created. A memory without this gets no recency. */
  readonly createdAt?: Moment | null | undefined;
  /** The sector, which decides the boost. */
  readonly sector?: string | null | undefined;
  /** When it was superseded; a moment later than `now` does not count. */
  readonly validUntil?: Moment | null | undefined;
}

/** The weights that the memory recipe uses by default. */
export const DEFAULT_WEIGHTS: Readonly<Required<MemoryWeights>> = /* @__PURE__ */ Object.freeze({
  semantic: 0.4,
  keyword: 0.25,
  salience: 0.2,
  recency: 0.15,
  sectorBoost: /* @__PURE__ */ Object.freeze({ reflective: 1.2, semantic: 1.1, procedural: 1, emotional: 0.9, episodic: 0.8 }),
});

/**
 * Computes the score of a memory, 0 to 1, as `engine.memory.search` does.
 *
 * @param semanticSim The similarity of its vector to the query's; 0 where vectors did not find it.
 * @param ftsRank FTS5's rank, which is negative; 0 where words did not find it.
 * @param weights Changes to {@link DEFAULT_WEIGHTS}: an absent weight or boost keeps its default.
 * @param now The moment that ages count from. Defaults to now.
 * @throws RangeError where a string is no date.
 */
export function computeScore(
  memory: ScoredMemory,
  semanticSim: number,
  ftsRank: number,
  weights: MemoryWeights = DEFAULT_WEIGHTS,
  now: Moment = Date.now(),
): number {
  const { semantic, keyword, salience, recency } = { ...DEFAULT_WEIGHTS, ...defined(weights) };
  const at = milliseconds(now, "now");
  const rank = Math.abs(ftsRank) / FULL_BM25;
  const sum =
    semantic * semanticSim +
    keyword * (rank < 1 ? rank : 1) +
    salience * (memory.salience ?? 1) +
    recency * recencyOf(memory.createdAt, at);
  const isSuperseded = memory.validUntil != null && milliseconds(memory.validUntil, "validUntil") <= at;
  const score = sum * boostOf(memory.sector, weights) * (isSuperseded ? SUPERSEDED : 1);
  return score < 0 ? 0 : score > 1 ? 1 : score;
}

function recencyOf(createdAt: Moment | null | undefined, now: number): number {
  if (createdAt == null) return 0;
  const age = now - milliseconds(createdAt, "createdAt");
  return exponential(-AGEING * (age > 0 ? age / MILLISECONDS_PER_DAY : 0));
}

function boostOf(sector: string | null | undefined, { sectorBoost }: MemoryWeights): number {
  const boosts: { readonly [sector: string]: number } = { ...DEFAULT_WEIGHTS.sectorBoost, ...defined(sectorBoost ?? {}) };
  return sector != null && Object.hasOwn(boosts, sector) ? boosts[sector]! : 1;
}

/** The entries of an object that are not `undefined`. */
function defined<T extends object>(entries: T): T {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as T;
}
