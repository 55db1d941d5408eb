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
  readonly bytes: number;
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
  #bytes = 0;

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
    if (!entry) return undefined;
    this.#drop(text, entry);
    if (this.#now() - entry.at >= this.#limits.milliseconds) return undefined;
    this.#put(text, entry);
    return entry.vector;
  }

  /** Keeps the vector of a text. */
  set(text: string, vector: Float32Array): void {
    const known = this.#entries.get(text);
    if (known) this.#drop(text, known);
    this.#put(text, { vector, at: this.#now(), bytes: 2 * text.length + vector.byteLength });
    const { entries, bytes } = this.#limits;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= entries && this.#bytes <= bytes) break;
      this.#drop(oldest, entry);
    }
  }

  #put(text: string, entry: Entry): void {
    this.#entries.set(text, entry);
    this.#bytes += entry.bytes;
  }

  #drop(text: string, entry: Entry): void {
    this.#entries.delete(text);
    this.#bytes -= entry.bytes;
  }
}
