// Answers are checked before anything is timed: a fast wrong answer is worth nothing.

/** Native and wasm logarithms differ in the last bit, so scores agree to this, relative. */
const TOLERANCE = 1e-9;

/** Throws unless `answers` are the oracle's: the same ids in the same order with the same scores. */
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
 * Throws if an engine that ranks by rules of its own finds nothing where it should find something. Prefixes are left
 * out: FTS5 stems the prefix itself, and matches stems with it, which no other engine does.
 */
export function checkFound(engine, queries, answers, oracle) {
  queries.forEach((query, i) => {
    if (query.kind !== "prefix" && oracle[i].length > 0 && answers[i].length === 0) {
      throw new Error(`${engine} finds nothing for ${query.match}; FTS5 finds ${oracle[i].length}`);
    }
  });
}

/** The mean share of the oracle's hits that `answers` hold, over the queries to which the oracle has any. */
export function overlap(answers, oracle) {
  const shares = oracle.flatMap((expected, i) => {
    if (expected.length === 0) return [];
    const told = new Set(answers[i].map(([id]) => id));
    return [expected.filter(([id]) => told.has(id)).length / expected.length];
  });
  return shares.reduce((total, share) => total + share, 0) / shares.length;
}
