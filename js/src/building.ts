// How are records built, without a page that stands still meanwhile? Batch by batch; now and then others have their turn.

import { embedded, embedError } from "./embedding.js";
import { call, filled, isList, listed } from "./engine.js";
import type { Build as RawBuild, Engine as RawEngine } from "./glue.js";
import { turn } from "./turn.js";
import type { Embed, PresetName, Schema } from "./types.js";

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
  readonly embed?: Embed | undefined;
  readonly strict?: boolean | undefined;
}

/** For how long others wait, in milliseconds. */
const TURN = 30;
const RECORDS_A_BATCH = 64;
const CHARACTERS_A_BATCH = 100_000;
/** How many texts `embed` gets per call. */
const TEXTS_PER_CALL = 100;

/**
 * Builds an engine, and says what could not be embedded.
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

/** Embeds the texts of a build in batches, and hands the vectors to it. */
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

  /** Says how many records have no vector, by reason. */
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
