// Builds an engine in batches. Between batches it gives the page its turn, so that the page does not freeze.

import { embedded, embedError } from "./embedding.js";
import { call, filled, isList, listed } from "./engine.js";
import type { Build as RawBuild, Engine as RawEngine } from "./glue.js";
import { turn } from "./turn.js";
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
/** The number of texts per call of `embed`. */
const TEXTS_PER_CALL = 100;

/**
 * Builds an engine. The warnings say which texts could not be embedded.
 *
 * @internal
 */
export async function built(
  Build: new (schema: Schema | PresetName | undefined) => RawBuild,
  records: Iterable<object> | string,
  schema: Schema | PresetName | undefined,
  { signal, onProgress, embed, strict }: Building,
): Promise<{ readonly raw: RawEngine; readonly warnings: readonly string[] }> {
  const total = countOf(records);
  const vectors = embed && new BuildVectors(embed, signal);
  const raw = await filled<RawEngine, RawBuild>(() => new Build(schema), async (build) => {
    let taken = 0;
    let began = performance.now();
    for (const batch of batchesOf(records)) {
      if (vectors) await vectors.add(build, call(() => build.texts(batch)) as Text[]);
      call(() => build.add(batch));
      taken += typeof batch === "string" ? batch.trimEnd().split("\n").length : batch.length;
      onProgress?.(total === undefined ? { records: taken } : { records: taken, total });
      if (performance.now() - began >= TURN) {
        await turn();
        began = performance.now();
      }
      signal?.throwIfAborted();
    }
    await vectors?.flush(build);
    const [failure] = vectors?.warnings() ?? [];
    if (strict && failure !== undefined) throw embedError(failure);
  });
  return { raw, warnings: vectors?.warnings() ?? [] };
}

type Text = readonly [id: string, kind: string, text: string, model: string];

/** Embeds the texts of a build in batches, and adds the vectors to it. */
class BuildVectors {
  readonly #embed: Embed;
  readonly #signal: AbortSignal | undefined;
  readonly #failures = new Map<string, number>();
  #waiting: Text[] = [];
  #width: number | undefined;

  constructor(embed: Embed, signal: AbortSignal | undefined) {
    this.#embed = embed;
    this.#signal = signal;
  }

  async add(build: RawBuild, texts: readonly Text[]): Promise<void> {
    this.#waiting.push(...texts);
    while (this.#waiting.length >= TEXTS_PER_CALL) await this.#send(build);
  }

  async flush(build: RawBuild): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(build);
  }

  /** Returns one sentence per reason, with the number of records that have no vector. */
  warnings(): readonly string[] {
    return Array.from(this.#failures, ([failure, count]) => `${failure} (${count} records have no vector)`);
  }

  async #send(build: RawBuild): Promise<void> {
    const batch = this.#waiting.splice(0, TEXTS_PER_CALL);
    const texts = batch.map(([, , text]) => text);
    const made = await embedded(texts, this.#embed, { width: this.#width, signal: this.#signal });
    const lines = batch.flatMap(([id, kind, , model], place) => {
      const { vector, failure } = made[place]!;
      if (failure !== undefined) this.#failures.set(failure, (this.#failures.get(failure) ?? 0) + 1);
      this.#width ??= vector?.length;
      return vector ? [{ $: "vector", id, kind, model, vector: Array.from(vector) }] : [];
    });
    call(() => build.add(lines));
  }
}

function countOf(records: Iterable<object> | string): number | undefined {
  if (typeof records === "string") return undefined;
  const { length, size = length } = Object(records) as { length?: number; size?: number };
  return size;
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
    yield records;
    return;
  }
  let batch: object[] = [];
  for (const record of records) {
    if (batch.push(record) < RECORDS_PER_BATCH) continue;
    yield listed(batch);
    batch = [];
  }
  if (batch.length > 0) yield listed(batch);
}
