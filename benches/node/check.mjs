// Checks the answers before anything is timed, because a fast wrong answer is useless.

/** The relative tolerance of scores: native and wasm logarithms differ in the last bit. */
const TOLERANCE = 1e-9;

/** Throws unless `answers` equal those of the oracle: the same ids in the same order with the same scores. */
export function checkExact(engine, queries, answers, oracle) {
  queries.forEach((query, i) => {
    const told = answers[i];
    const expected = oracle[i];
    const agrees =
      told.length === expected.length &&
      expected.every(([id, score], rank) => {
        const [toldId, toldScore] = told[rank];
        return toldId === id && Math.abs(toldScore - score) <= TOLERANCE * Math.abs(score);
      });
    if (!agrees) {
      throw new Error(
        `${engine} disagrees with FTS5 on ${query.match}\n  told     ${JSON.stringify(told)}\n  expected ${JSON.stringify(expected)}`,
      );
    }
  });
}

/**
 * Throws if an engine with its own ranking finds nothing although the oracle finds something. Skips prefix queries, because
 * only FTS5 stems the prefix and matches it with stems.
 */
export function checkFound(engine, queries, answers, oracle) {
  queries.forEach((query, i) => {
    if (query.kind !== "prefix" && oracle[i].length > 0 && answers[i].length === 0) {
      throw new Error(`${engine} finds nothing for ${query.match}; FTS5 finds ${oracle[i].length}`);
    }
  });
}

/** Returns the mean share of the oracle's hits among `answers`, over the queries for which the oracle has hits. */
export function overlap(answers, oracle) {
  const shares = oracle.flatMap((expected, i) => {
    if (expected.length === 0) return [];
    const told = new Set(answers[i].map(([id]) => id));
    return [expected.filter(([id]) => told.has(id)).length / expected.length];
  });
  return shares.reduce((total, share) => total + share, 0) / shares.length;
}
