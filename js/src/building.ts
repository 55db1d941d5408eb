// How are records built, without a page that stands still meanwhile? Batch by batch; now and then others have their turn.

import { call, filled, isList, listed } from "./engine.js";
import type { Build as RawBuild, Engine as RawEngine } from "./glue.js";
import { turn } from "./turn.js";
import type { PresetName, Schema } from "./types.js";

/** How far a build is. */
export interface BuildProgress {
  /** How many records, or lines of a text, have been taken. */
  readonly records: number;
  /** How many there are; absent where that is not known. */
  readonly total?: number;
}

/** How a build goes on. */
export interface Building {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
}

/** For how long others wait, in milliseconds. */
const TURN = 30;
const RECORDS_A_BATCH = 64;
const CHARACTERS_A_BATCH = 100_000;

/**
 * Builds an engine.
 *
 * @internal
 */
export function built(
  Build: new (schema: Schema | PresetName | undefined) => RawBuild,
  records: Iterable<object> | string,
  schema: Schema | PresetName | undefined,
  { signal, onProgress }: Building,
): Promise<RawEngine> {
  const total = countOf(records);
  return filled(() => new Build(schema), async (build) => {
    let taken = 0;
    let began = performance.now();
    for (const batch of batchesOf(records)) {
      call(() => build.add(batch));
      taken += typeof batch === "string" ? batch.trimEnd().split("\n").length : batch.length;
      onProgress?.(total === undefined ? { records: taken } : { records: taken, total });
      if (performance.now() - began >= TURN) {
        await turn();
        began = performance.now();
      }
      signal?.throwIfAborted();
    }
  });
}

function countOf(records: Iterable<object> | string): number | undefined {
  if (typeof records === "string") return undefined;
  const { length, size = length } = Object(records) as { length?: number; size?: number };
  return size;
}

function* batchesOf(records: Iterable<object> | string): Generator<readonly object[] | string> {
  if (typeof records === "string") {
    for (let start = 0, end; start < records.length; start = end) {
      // Where no line ends any more it is -1, and all that is left is taken.
      end = records.indexOf("\n", start + CHARACTERS_A_BATCH) + 1 || records.length;
      yield records.slice(start, end);
    }
    return;
  }
  if (!isList(records)) {
    // What is no list is an error, and wasm says which.
    yield records;
    return;
  }
  let batch: object[] = [];
  for (const record of records) {
    if (batch.push(record) < RECORDS_A_BATCH) continue;
    yield listed(batch);
    batch = [];
  }
  if (batch.length > 0) yield listed(batch);
}
