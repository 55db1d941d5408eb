// What is asked often? Only what was asked within a day, and no more of it than a thousand.

const LIFETIME = 24 * 60 * 60 * 1000;
const CAPACITY = 1000;
const BETWEEN_CLEANINGS = 5 * 60 * 1000;

interface Entry<T> {
  readonly asked: T;
  readonly count: number;
  readonly last: number;
}

/**
 * How often things were asked.
 *
 * @internal
 */
export class Frequencies<T> {
  /** In the order in which they were last asked. */
  readonly #entries = new Map<string, Entry<T>>();
  #cleaned = Date.now();

  get size(): number {
    return this.#entries.size;
  }

  /** Notes that something was asked. */
  note(key: string, asked: T): void {
    const now = Date.now();
    if (now - this.#cleaned >= BETWEEN_CLEANINGS) this.#clean(now);
    const count = (this.#entries.get(key)?.count ?? 0) + 1;
    this.#entries.delete(key);
    this.#entries.set(key, { asked, count, last: now });
    if (this.#entries.size > CAPACITY) this.#entries.delete(this.#entries.keys().next().value!);
  }

  /** What was asked most often, most often first; of equals, what was asked last. */
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
