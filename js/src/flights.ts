// Equal work that is asked for at the same time runs once.

import { unlessAborted } from "./abort.js";

/**
 * Work in flight, by key.
 *
 * @internal
 */
export class Flights<T> {
  readonly #flights = new Map<string, Promise<T>>();

  /** Whether work with this key is in flight. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /**
   * Runs the work, or waits for the work with the same key that is in flight. All callers share its result or its error; each
   * gets its own copy of the result. A signal ends the wait of the caller that passed it, not the work.
   */
  async join(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const flight = this.#flights.get(key);
    if (flight) return structuredClone(await unlessAborted(flight, signal));
    const begun = work().finally(() => this.#flights.delete(key));
    this.#flights.set(key, begun);
    return unlessAborted(begun, signal);
  }
}
