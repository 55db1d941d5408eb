// `open` and `build` for suites that run twice: with SNAPSEEK_LOAD=ranges, engines read their snapshots in pieces, where
// synchronous calls need nothing else. The answers must be the same.

import * as snapseek from "../../pkg/node.js";

const READS_PIECES = process.env.SNAPSEEK_LOAD === "ranges";

/** Whether synchronous calls can read pieces of this source: bytes, or a file. */
const isAtHand = (source) =>
  source instanceof ArrayBuffer ||
  ArrayBuffer.isView(source) ||
  ((typeof source === "string" || source instanceof URL) && !/^https?:/.test(String(source)));

/** The code of the error about a damaged snapshot: pieces have checksums of their own. */
export const DAMAGED = READS_PIECES ? "snapshot/changed" : "snapshot/checksum";

export const open = (source, options) =>
  snapseek.open(source, READS_PIECES && isAtHand(source) ? { load: "ranges", ...options } : options);

export async function build(records, schema, options) {
  const built = await snapseek.build(records, schema, options);
  if (!READS_PIECES) return built;
  const engine = await open(built.snapshot(), { embed: options?.embed });
  built.free();
  return Object.assign(engine, { warnings: built.warnings });
}
