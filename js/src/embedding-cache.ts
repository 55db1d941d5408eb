// The vectors of the last queries: embedding one again costs time and money.

/** How much is kept, and for how long. */
export interface CacheLimits {
  /** How many vectors. */
  readonly entries: number;
  /** How old one may be. */
  readonly milliseconds: number;
  /** How large all are together. */
  readonly bytes: number;
}

const LIMITS: CacheLimits = { entries: 500, milliseconds: 10 * 60 * 1000, bytes: 16 * 1024 * 1024 };

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
  readonly #now: () => number;
  readonly #limits: CacheLimits;

  constructor(now: () => number = Date.now, limits: CacheLimits = LIMITS) {
    this.#now = now;
    this.#limits = limits;
  }

  /** How many vectors are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** The vector of a text; `undefined` where it is not kept, or was kept for too long. */
  get(text: string): Float32Array | undefined {
    const entry = this.#entries.get(text);
    this.#entries.delete(text);
    if (!entry || this.#now() - entry.at >= this.#limits.milliseconds) return undefined;
    this.#entries.set(text, entry);
    return entry.vector;
  }

  /** Keeps the vector of a text. */
  set(text: string, vector: Float32Array): void {
    this.#entries.delete(text);
    this.#entries.set(text, { vector, at: this.#now() });
    let bytes = 0;
    // From the last that was asked for, as many as there is room for.
    [...this.#entries].reverse().forEach(([text, { vector }], place) => {
      bytes += 2 * text.length + vector.byteLength;
      if (place >= this.#limits.entries || bytes > this.#limits.bytes) this.#entries.delete(text);
    });
  }
}
