// Calls the caller's `embed` function, and checks its vectors before anything uses or caches them.

import { unlessAborted } from "./abort.js";
import type { Asked, HostInputs } from "./asked.js";
import { EmbeddingCache } from "./embedding-cache.js";
import { reasonOf, SnapseekError } from "./errors.js";
import { wellFormed } from "./plain.js";
import type { Embed, Schema } from "./types.js";

/** The vector of a text, or the reason why there is none. */
export type Embedding = { readonly vector: Float32Array; readonly failure?: never } | { readonly vector?: never; readonly failure: string };

/** How texts are embedded. */
export interface EmbedOptions {
  /** The number of numbers in a vector; `undefined` where no vector has settled it yet. */
  readonly width: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Embeds texts. The result has one entry per text; a vector is usable: it has the right width, finite numbers, and not zeros
 * alone. Where `embed` throws or returns another number of vectors, every entry is a failure.
 *
 * @internal
 */
export async function embedded(texts: readonly string[], embed: Embed, options: EmbedOptions): Promise<Embedding[]> {
  let { width } = options;
  try {
    const made: unknown = await unlessAborted(Promise.resolve().then(() => embed(texts)), options.signal);
    const vectors = Array.from((made ?? []) as ArrayLike<unknown>);
    if (vectors.length !== texts.length) {
      throw new Error(`it returned ${vectors.length} vectors for ${texts.length} texts`);
    }
    return vectors.map((vector) => {
      const checked = usable(vector, width);
      width ??= checked.vector?.length;
      return checked;
    });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    const failure = `embed: ${reasonOf(cause)}`;
    return texts.map(() => ({ failure }));
  }
}

function usable(value: unknown, width: number | undefined): Embedding {
  const { length } = Object(value) as Partial<ArrayLike<number>>;
  if (typeof value !== "object" || typeof length !== "number") return { failure: "embed: it returned no vector" };
  const vector = Float32Array.from(value as ArrayLike<number>);
  if (vector.length === 0) return { failure: "embed: it returned an empty vector" };
  if (width !== undefined && vector.length !== width) {
    return { failure: `embed: its vector has ${vector.length} numbers, and ${width} are needed` };
  }
  if (!vector.every(Number.isFinite)) return { failure: "embed: its vector has a number that is not finite" };
  if (vector.every((number) => number === 0)) return { failure: "embed: its vector is all zeros" };
  return { vector };
}

/**
 * Embeds queries, and keeps the last vectors by text and model. Only usable vectors are kept.
 *
 * @internal
 */
export class QueryEmbedder {
  readonly #cache = new EmbeddingCache();
  /** The name of the schema's first model; `undefined` if it has none. */
  readonly #firstModel: string | undefined;
  /** Returns the number of numbers in a vector of a model; `undefined` where no vector has settled it yet. */
  readonly #widthOf: (model: string) => number | undefined;

  constructor({ vectors = {} }: Schema, widthOf: (model: string) => number | undefined) {
    this.#firstModel = Object.keys(vectors)[0];
    this.#widthOf = widthOf;
  }

  /** Embeds the query of a call that has an `embed` function. Embeds nothing if the snapshot has no vectors. */
  async inputs({ options, embed, signal }: Asked, query: string): Promise<HostInputs> {
    const { model, strict } = Object(options) as { model?: unknown; strict?: unknown };
    const named = typeof model === "string" ? model : this.#firstModel;
    if (named === undefined) return {};
    const { vector, failure } = await this.#vectorOf(wellFormed(query), named, embed!, { width: this.#widthOf(named), signal });
    if (failure !== undefined && strict === true) throw new SnapseekError("embed/failed", failure);
    return { made: vector, byEmbed: true, failures: failure === undefined ? undefined : [failure] };
  }

  async #vectorOf(query: string, model: string, embed: Embed, options: EmbedOptions): Promise<Embedding> {
    const key = JSON.stringify([model, query]);
    const known = this.#cache.get(key);
    if (known && (options.width === undefined || known.length === options.width)) return { vector: known };
    const [made] = await embedded([query], embed, options);
    if (made!.vector) this.#cache.set(key, made!.vector);
    return made!;
  }
}
