// Equal work that is under way at once is done once.

import { unlessAborted } from "./abort.js";

/**
 * What is under way, by what it is about.
 *
 * @internal
 */
export class Flights<T> {
  readonly #flights = new Map<string, Promise<T>>();

  /** Whether work of this key is under way. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /**
   * Does the work, or waits for the same that is under way: its result or its error is everyone's. Each has a copy of their
   * own. A caller's signal ends that caller's waiting, not the work.
   */
  async join(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const flight = this.#flights.get(key);
    if (flight) return structuredClone(await unlessAborted(flight, signal));
    const begun = work().finally(() => this.#flights.delete(key));
    this.#flights.set(key, begun);
    return unlessAborted(begun, signal);
  }
}
