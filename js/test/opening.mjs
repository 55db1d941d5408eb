// `open` and `build` for suites that run twice: with SNAPSEEK_LOAD=ranges, engines read their snapshots in pieces, where
// synchronous calls need nothing else. The answers must be the same.

import * as snapseek from "../../pkg/node.js";

const READS_PIECES = process.env.SNAPSEEK_LOAD === "ranges";

/** Whether synchronous calls can read pieces of this source: bytes, or a file. */
const isAtHand = (source) =>
  source instanceof ArrayBuffer ||
  ArrayBuffer.isView(source) ||
  ((typeof source === "string" || source instanceof URL) && !/^https?:/.test(String(source)));

export async function open(source, options) {
  const given = READS_PIECES ? await source : source;
  return READS_PIECES && isAtHand(given) ? snapseek.open(given, { load: "ranges", ...options }) : snapseek.open(given, options);
}

export const build = snapseek.build;
