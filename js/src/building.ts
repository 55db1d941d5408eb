// Builds an engine in batches. Between batches it gives the page its turn, so that the page does not freeze.

import { schemaOf } from "./building-models.js";
import { BuildVectors, type TextToEmbed } from "./building-vectors.js";
import { isList } from "./asked.js";
import { call, filled, listed, turn } from "./engine.js";
import { SnapseekError } from "./errors.js";
import type { Build as RawBuild, Engine as RawEngine } from "./glue.js";
import type { Read } from "./source.js";
import type { Embed, PresetName, Schema } from "./types.js";

/** The progress of a build. */
export interface BuildProgress {
  /** The number of records, or lines of a text, read so far. */
  readonly records: number;
  /** The number of all records; absent if it is not known. */
  readonly total?: number;
}

/** The options of a build that this file handles. */
export interface Building {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
  readonly embed?: Embed | undefined;
  readonly strict?: boolean | undefined;
}

/** The page waits at most about this many milliseconds for its turn. */
const TURN = 30;
const RECORDS_PER_BATCH = 64;
const CHARACTERS_PER_BATCH = 100_000;

/**
 * Builds an engine. The warnings say which texts could not be embedded.
 *
 * @internal
 */
export async function built(
  Build: new (schema: Schema | PresetName | undefined, staticModels: unknown[]) => RawBuild,
  records: Iterable<object> | string,
  schema: Schema | PresetName | undefined,
  { signal, onProgress, embed, strict }: Building,
  read: Read,
): Promise<{ readonly raw: RawEngine; readonly warnings: readonly string[] }> {
  // The number of lines of a text is not known before they are read.
  const { length, size = length } = (typeof records === "string" ? {} : Object(records)) as { length?: number; size?: number };
  // The module takes the tables of static models apart from the schema.
  let models: unknown[] = [];
  if (Object.values((schema as Schema)?.vectors ?? []).some((settings) => settings?.model)) {
    [schema, models] = await schemaOf(schema as Schema, read, signal);
  }
  const vectors = embed && new BuildVectors(embed, signal);
  const raw = await filled<RawEngine, RawBuild>(() => new Build(schema, models), async (build) => {
    let taken = 0;
    let began = performance.now();
    for (const batch of batchesOf(records)) {
      if (vectors) await vectors.add(build, JSON.parse(call(() => build.texts(batch))) as TextToEmbed[]);
      call(() => build.add(batch));
      taken += (typeof batch === "string" ? batch.trimEnd().split("\n") : batch).length;
      onProgress?.(size === undefined ? { records: taken } : { records: taken, total: size });
      if (performance.now() - began >= TURN) {
        await turn();
        began = performance.now();
      }
      signal?.throwIfAborted();
    }
    await vectors?.flush(build);
    const failure = vectors?.warnings()[0];
    if (strict && failure) throw new SnapseekError("embed/failed", failure);
  });
  return { raw, warnings: vectors?.warnings() ?? [] };
}

function* batchesOf(records: Iterable<object> | string): Generator<readonly object[] | string> {
  if (typeof records === "string") {
    for (let start = 0, end; start < records.length; start = end) {
      // `indexOf` is -1 if no line ends after that: then the batch takes the rest.
      end = records.indexOf("\n", start + CHARACTERS_PER_BATCH) + 1 || records.length;
      yield records.slice(start, end);
    }
    return;
  }
  if (!isList(records)) {
    // The module rejects this with the right error.
    return yield records;
  }
  let batch: object[] = [];
  for (const record of records) {
    if (batch.push(record) < RECORDS_PER_BATCH) continue;
    yield listed(batch);
    batch = [];
  }
  if (batch.length) yield listed(batch);
}
