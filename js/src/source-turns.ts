// In which order do calls for one source take effect? In the order of the calls, although their embedding takes longer or
// shorter.

import type { RagSourceKey } from "./rag.types.js";

/**
 * Numbers the calls that write sources, and keeps the last call that took effect on each source. An older call must not write
 * that source any more.
 *
 * @internal
 */
export class SourceTurns {
  #last = 0;
  #pending = 0;
  readonly #taken = new Map<string, number>();

  /** Begins a call, and returns its turn. */
  begin(): number {
    this.#pending++;
    return ++this.#last;
  }

  /** Ends a call. Once no call is pending, every earlier turn is over and nothing has to be kept. */
  end(): void {
    if (--this.#pending === 0) this.#taken.clear();
  }

  /** Whether a later call has taken effect on a source. */
  isOvertaken(turn: number, source: RagSourceKey): boolean {
    return (this.#taken.get(keyOf(source)) ?? 0) > turn;
  }

  /** Notes that a call has taken effect on a source. */
  take(turn: number, source: RagSourceKey): void {
    if (!this.isOvertaken(turn, source)) this.#taken.set(keyOf(source), turn);
  }
}

function keyOf({ sourceType, sourceId }: RagSourceKey): string {
  // A type has no colon.
  return `${sourceType}:${sourceId}`;
}
