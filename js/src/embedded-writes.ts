// Writes whose texts an `embed` function embeds first.

import type { Asked, HostInputs } from "./asked.js";
import { embedded, type Embedding } from "./embedding.js";
import type { Engine } from "./engine.js";

/** `embed` gets at most this many texts per call. */
const TEXTS_PER_CALL = 100;

/** The texts that a write needs vectors of, and the number of numbers in a vector; `null` where no vector has settled it. */
interface TextsToEmbed {
  readonly texts: readonly string[];
  readonly width: number | null;
}

/** One write: a call of the module such as `vault.add`, which `vault.add.texts` asks for its texts. */
export class EmbeddedWrite {
  readonly #engine: Pick<Engine, "askSync" | "withDocuments">;
  readonly #name: string;
  readonly #asked: Asked;
  readonly #made = new Map<string, Embedding>();
  #width: number | undefined;

  constructor(engine: Pick<Engine, "askSync" | "withDocuments">, name: string, asked: Asked) {
    this.#engine = engine;
    this.#name = name;
    this.#asked = asked;
  }

  /** Embeds the texts that the write needs as things are now. Other writes may change them before {@link EmbeddedWrite.run}. */
  async prepare(): Promise<void> {
    await this.#embed(await this.#withDocuments(() => this.#needed()));
  }

  /** Embeds the texts that are still missing, and writes. */
  async run<T>(): Promise<T> {
    for (;;) {
      const outcome = await this.#withDocuments(() => {
        // Nothing waits between this look at the texts and the write, so no other write can change them in between.
        const needed = this.#needed();
        if (needed.texts.some((text) => !this.#made.has(text))) return { needed };
        return { response: this.#engine.askSync<T>(this.#name, this.#asked.options, this.#inputs(needed)) };
      });
      if ("response" in outcome) return outcome.response as T;
      await this.#embed(outcome.needed);
    }
  }

  #withDocuments<T>(work: () => T): Promise<Awaited<T>> {
    return this.#engine.withDocuments(work, { signal: this.#asked.signal });
  }

  #needed(): TextsToEmbed {
    return this.#engine.askSync(`${this.#name}.texts`, this.#asked.options);
  }

  async #embed({ texts, width }: TextsToEmbed): Promise<void> {
    const missing = texts.filter((text) => !this.#made.has(text));
    const { embed, signal } = this.#asked;
    this.#width ??= width ?? undefined;
    for (let start = 0; start < missing.length; start += TEXTS_PER_CALL) {
      const batch = missing.slice(start, start + TEXTS_PER_CALL);
      const made = await embedded(batch, embed!, { width: this.#width, signal });
      batch.forEach((text, place) => this.#made.set(text, made[place]!));
      this.#width ??= made.find(({ vector }) => vector)?.vector?.length;
    }
  }

  #inputs({ texts }: TextsToEmbed): HostInputs {
    return texts.length === 0 ? {} : { ...inputsOf(texts.map((text) => this.#made.get(text)!)), texts };
  }
}

/** Hands embeddings to the module: the vectors in one, and for each text the reason why it has none. */
export function inputsOf(made: readonly Embedding[]): HostInputs {
  const vectors = made.flatMap(({ vector }) => (vector ? [vector] : []));
  const numbers = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const vector of vectors) {
    numbers.set(vector, filled);
    filled += vector.length;
  }
  return {
    made: vectors.length > 0 ? numbers : undefined,
    byEmbed: true,
    failures: vectors.length < made.length ? made.map(({ failure }) => failure ?? null) : undefined,
  };
}
