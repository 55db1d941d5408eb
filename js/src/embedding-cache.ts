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
    const entry = this.#taken(text);
    if (!entry || this.#now() - entry.at >= this.#limits.milliseconds) return undefined;
    this.#put(text, entry);
    return entry.vector;
  }

  /** Keeps the vector of a text. */
  set(text: string, vector: Float32Array): void {
    this.#taken(text);
    this.#put(text, { vector, at: this.#now() });
    const { entries, bytes } = this.#limits;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries && this.#bytes <= bytes) break;
      this.#taken(oldest);
    }
  }

  #put(text: string, entry: Entry): void {
    this.#entries.set(text, entry);
    this.#bytes += sizeOf(text, entry);
  }

  /** What is kept of a text, and is no more. */
  #taken(text: string): Entry | undefined {
    const entry = this.#entries.get(text);
    if (!entry) return undefined;
    this.#entries.delete(text);
    this.#bytes -= sizeOf(text, entry);
    return entry;
  }
}

const sizeOf = (text: string, { vector }: Entry): number => 2 * text.length + vector.byteLength;
