// Embeds the records of a build.

import { embedded } from "./embedding.js";
import { call } from "./engine.js";
import type { Build as RawBuild } from "./glue.js";
import type { Embed } from "./types.js";

/** The number of texts per call of `embed`. */
const TEXTS_PER_CALL = 100;

/** A text of a record for one model. */
export type TextToEmbed = readonly [id: string, kind: string, text: string, model: string];

/** Embeds the texts of a build in batches, and adds the vectors to it. */
export class BuildVectors {
  readonly #embed: Embed;
  readonly #signal: AbortSignal | undefined;
  readonly #failures = new Map<string, number>();
  #waiting: TextToEmbed[] = [];
  #width: number | undefined;

  constructor(embed: Embed, signal: AbortSignal | undefined) {
    this.#embed = embed;
    this.#signal = signal;
  }

  async add(build: RawBuild, texts: readonly TextToEmbed[]): Promise<void> {
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
