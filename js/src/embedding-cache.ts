// Keeps the vectors of recent queries, because embedding a query again costs time and money.

/** The limits of a cache: entries, milliseconds per entry, and bytes. */
const ENTRIES = 500;
const LIFETIME = 10 * 60 * 1000;
const BYTES = 16 * 1024 * 1024;

interface Entry {
  readonly vector: Float32Array;
  readonly at: number;
}

/**
 * Vectors by text. When a limit is reached, the least recently used entries go first.
 *
 * @internal
 */
export class EmbeddingCache {
  // A `Map` keeps insertion order, so the first entry is the least recently used.
  readonly #entries = new Map<string, Entry>();

  /** The number of vectors in the cache. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the vector of a text; `undefined` if the cache has none or it has expired. */
  get(text: string): Float32Array | undefined {
    const entry = this.#entries.get(text);
    this.#entries.delete(text);
    if (!entry || Date.now() - entry.at >= LIFETIME) return undefined;
    this.#entries.set(text, entry);
    return entry.vector;
  }

  /** Stores the vector of a text. */
  set(text: string, vector: Float32Array): void {
    this.#entries.delete(text);
    this.#entries.set(text, { vector, at: Date.now() });
    let bytes = 0;
    // Keep entries from the most recent on, until one of the limits is reached.
    [...this.#entries].reverse().forEach(([text, { vector }], place) => {
      bytes += 2 * text.length + vector.byteLength;
      if (place >= ENTRIES || bytes > BYTES) this.#entries.delete(text);
    });
  }
}
