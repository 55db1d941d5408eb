// The vectors of the last queries: embedding one again costs time and money.

/** How many are kept, for how long, and how large they may be together. */
const ENTRIES = 500;
const LIFETIME = 10 * 60 * 1000;
const BYTES = 16 * 1024 * 1024;

interface Entry {
  readonly vector: Float32Array;
  readonly at: number;
}

/**
 * Vectors by their texts. Whichever limit is reached first, what was not asked for the longest goes.
 *
 * @internal
 */
export class EmbeddingCache {
  // A map keeps its keys in the order in which they were put in.
  readonly #entries = new Map<string, Entry>();

  /** How many vectors are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** The vector of a text; `undefined` where it is not kept, or was kept for too long. */
  get(text: string): Float32Array | undefined {
    const entry = this.#entries.get(text);
    this.#entries.delete(text);
    if (!entry || Date.now() - entry.at >= LIFETIME) return undefined;
    this.#entries.set(text, entry);
    return entry.vector;
  }

  /** Keeps the vector of a text. */
  set(text: string, vector: Float32Array): void {
    this.#entries.delete(text);
    this.#entries.set(text, { vector, at: Date.now() });
    let bytes = 0;
    // From the last that was asked for, as many as there is room for.
    [...this.#entries].reverse().forEach(([text, { vector }], place) => {
      bytes += 2 * text.length + vector.byteLength;
      if (place >= ENTRIES || bytes > BYTES) this.#entries.delete(text);
    });
  }
}
