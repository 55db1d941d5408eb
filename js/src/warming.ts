// Work that repeats on a timer until it is stopped.

/** The milliseconds before the first round, and between two rounds. */
const FIRST = 30_000;
const BETWEEN = 20_000;

/**
 * Runs the work 30 seconds after the start and then every 20 seconds, until it is stopped or the work rejects.
 *
 * @internal
 */
export class Warming {
  readonly #work: () => Promise<unknown>;
  /** The timer of the current or the next round; in Node an object, elsewhere a number. */
  #timer: (number & { unref?(): void }) | undefined;

  constructor(work: () => Promise<unknown>) {
    this.#work = work;
  }

  /** Starts; does nothing where it has started. */
  start(): void {
    if (!this.#timer) this.#wait(FIRST);
  }

  /** Stops; does nothing where it has not started. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(milliseconds: number): void {
    const timer = setTimeout(async () => {
      // No caller waits for this promise, so a rejection is not passed on: it ends the rounds.
      const isDone = await this.#work().then(() => true, () => false);
      // It may have been stopped, and perhaps started again, in the meantime.
      if (this.#timer !== timer) return;
      if (isDone) this.#wait(BETWEEN);
      else this.stop();
    }, milliseconds) as unknown as number & { unref?(): void };
    // In Node, the timer must not keep the process alive.
    timer.unref?.();
    this.#timer = timer;
  }
}
