// Which searches are frequent? Counts the searches of the last 24 hours, at most 1,000 distinct ones.

const LIFETIME = 24 * 60 * 60 * 1000;
const CAPACITY = 1000;
const BETWEEN_CLEANINGS = 5 * 60 * 1000;

interface Entry<T> {
  readonly asked: T;
  readonly count: number;
  readonly last: number;
}

/**
 * Counts searches by key.
 *
 * @internal
 */
export class Frequencies<T> {
  /** The entries in the order of their last search. */
  readonly #entries = new Map<string, Entry<T>>();
  #cleaned = Date.now();

  get size(): number {
    return this.#entries.size;
  }

  /** Counts a search. */
  note(key: string, asked: T): void {
    const now = Date.now();
    if (now - this.#cleaned >= BETWEEN_CLEANINGS) this.#clean(now);
    const count = (this.#entries.get(key)?.count ?? 0) + 1;
    this.#entries.delete(key);
    this.#entries.set(key, { asked, count, last: now });
    if (this.#entries.size > CAPACITY) this.#entries.delete(this.#entries.keys().next().value!);
  }

  /** Returns the most frequent searches, best first; of equal counts, the latest. */
  top(limit: number): readonly (readonly [key: string, asked: T])[] {
    this.#clean(Date.now());
    const entries = [...this.#entries].sort(([, a], [, b]) => b.count - a.count || b.last - a.last);
    return entries.slice(0, limit).map(([key, { asked }]) => [key, asked]);
  }

  #clean(now: number): void {
    this.#cleaned = now;
    for (const [key, { last }] of this.#entries) if (now - last >= LIFETIME) this.#entries.delete(key);
  }
}
