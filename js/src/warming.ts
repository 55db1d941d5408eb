// Work that is done again and again, while someone wants it.

const FIRST = 30_000;
const BETWEEN = 20_000;

/**
 * Does the work half a minute after it was started, and then every twenty seconds, until it is stopped or fails.
 *
 * @internal
 */
export class Warming {
  readonly #work: () => Promise<unknown>;
  /** Of the round that is under way or comes next; in Node an object, elsewhere a number. */
  #timer: (number & { unref?(): void }) | undefined;

  constructor(work: () => Promise<unknown>) {
    this.#work = work;
  }

  /** Starting what is started does nothing. */
  start(): void {
    if (!this.#timer) this.#wait(FIRST);
  }

  /** Stopping what is not started does nothing. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(milliseconds: number): void {
    const timer = setTimeout(async () => {
      // Nobody waits for this, and what failed now would fail again: the engine is gone.
      const isDone = await this.#work().then(() => true, () => false);
      // It may have been stopped, and perhaps started anew, meanwhile.
      if (this.#timer !== timer) return;
      if (isDone) this.#wait(BETWEEN);
      else this.stop();
    }, milliseconds) as unknown as number & { unref?(): void };
    // It keeps no process alive.
    timer.unref?.();
    this.#timer = timer;
  }
}
