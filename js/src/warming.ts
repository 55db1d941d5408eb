// Work that is done again and again, while someone wants it.

const FIRST = 30_000;
const BETWEEN = 20_000;

/**
 * Calls `work` after a while, and gives back what takes that back.
 *
 * @internal
 */
export type After = (milliseconds: number, work: () => void) => () => void;

/** By a timer that keeps no process alive. */
const afterwards: After = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds) as unknown as number & { unref?(): void };
  // In Node a timer is an object, elsewhere a number.
  timer.unref?.();
  return () => clearTimeout(timer);
};

/**
 * Does the work half a minute after it was started, and then every twenty seconds, until it is stopped or fails.
 *
 * @internal
 */
export class Warming {
  readonly #work: () => Promise<unknown>;
  readonly #after: After;
  #stop: (() => void) | undefined;

  constructor(work: () => Promise<unknown>, after: After = afterwards) {
    this.#work = work;
    this.#after = after;
  }

  get isStarted(): boolean {
    return this.#stop !== undefined;
  }

  /** Starting what is started does nothing. */
  start(): void {
    if (!this.#stop) this.#wait(FIRST);
  }

  /** Stopping what is not started does nothing. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #wait(milliseconds: number): void {
    const stop = this.#after(milliseconds, () => void this.#round(stop));
    this.#stop = stop;
  }

  /** One round, unless it was stopped, and perhaps started anew, meanwhile. */
  async #round(own: () => void): Promise<void> {
    try {
      await this.#work();
      if (this.#stop === own) this.#wait(BETWEEN);
    } catch {
      // Nobody waits for this, and what failed now would fail again: the engine is gone.
      if (this.#stop === own) this.#stop = undefined;
    }
  }
}
