// Fetches parts of a file: near ones with one request, several requests at the same time, and none twice.

import { unlessAborted } from "./abort.js";
import type { PartSource } from "./part-source.js";

/** The number of requests at the same time. Browsers open at most six connections per host over HTTP/1.1. */
const AT_ONCE = 6;
/** Parts with at most this many bytes between them are fetched with one request. A request of its own costs about as much. */
const GAP = 4096;
/** The greatest number of bytes per request, so that a failed one repeats little. */
const MOST = 4 << 20;

/** Neighbouring parts that one request brought. */
interface Run {
  /** The offset of the first byte. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** A request under way. */
interface Flight {
  readonly run: Promise<Run>;
  readonly abort: AbortController;
  /** The number of calls that wait for it. Without one, it is aborted. */
  waiting: number;
}

/** Reads a range of the fetched bytes. */
export type Fetched = (start: number, end: number) => Uint8Array;

/** The division of a file into parts, which are numbered. */
export interface PartLayout {
  /** The offset of the first part. */
  readonly start: number;
  /** The length of the file. */
  readonly end: number;
  /** Parts with at most this many bytes between them are fetched with one request. */
  readonly gap: number;
  /** Returns the number of the part that holds the byte at an offset. */
  partAt(offset: number): number;
  /** Returns the offset of a part, or the length of the file for the number after the last. */
  offsetOf(part: number): number;
}

/** Divides a file into parts of one size; the last one may be shorter. */
export function evenParts(size: number, start: number, end: number): PartLayout {
  return {
    start,
    end,
    gap: GAP,
    partAt: (offset) => Math.floor((offset - start) / size),
    offsetOf: (part) => Math.min(start + part * size, end),
  };
}

/**
 * The parts of one file.
 *
 * @internal
 */
export class PartCache {
  readonly #source: PartSource;
  readonly #layout: PartLayout;
  readonly #budget: number;
  /** The runs in memory, by part number. */
  readonly #runs = new Map<number, Run>();
  /** The same runs, least recently used first. */
  readonly #byUse = new Set<Run>();
  readonly #flights = new Map<number, Flight>();
  #held = 0;
  #busy = 0;
  readonly #queue: (() => void)[] = [];

  /** @param budget The number of bytes that stay in memory between calls. */
  constructor(source: PartSource, layout: PartLayout, budget: number) {
    this.#source = source;
    this.#layout = layout;
    this.#budget = budget;
  }

  /** Adds the whole parts among the first bytes of the file. */
  putFirst(bytes: Uint8Array): void {
    const { start, end } = this.#layout;
    if (bytes.length <= start) return;
    const until = bytes.length >= end ? end : this.#layout.offsetOf(this.#layout.partAt(bytes.length));
    if (start < until) this.#keep({ start, bytes: bytes.slice(start, until) });
  }

  /**
   * Fetches ranges that consist of whole parts. A signal ends the wait, and aborts the requests that no other call waits for.
   *
   * @param reload Fetches them again from the server itself.
   */
  async fetch(ranges: readonly (readonly [number, number])[], signal?: AbortSignal, reload = false): Promise<Fetched> {
    const found = new Map<number, Run>();
    const flights = new Set<Flight>();
    const lacking: number[] = [];
    for (const part of this.#partsOf(ranges)) {
      const run = reload ? undefined : this.#runs.get(part);
      const flight = reload ? undefined : this.#flights.get(part);
      if (run) found.set(part, this.#used(run));
      else if (flight) flights.add(flight);
      else lacking.push(part);
    }
    for (const span of this.#spansOf(lacking)) flights.add(this.#begin(span, reload));
    for (const flight of flights) flight.waiting++;
    try {
      const runs = await unlessAborted(Promise.all(Array.from(flights, ({ run }) => run)), signal);
      for (const run of runs) for (const part of this.#partsIn(run)) found.set(part, run);
    } finally {
      for (const flight of flights) if (--flight.waiting === 0) flight.abort.abort();
    }
    return (start, end) => this.#joined(found, start, end);
  }

  /** Drops the least recently used parts until the rest fits the budget. */
  trim(): void {
    for (const run of this.#byUse) {
      if (this.#held <= this.#budget) return;
      this.#drop(run);
    }
  }

  /** Aborts every request with this reason. */
  close(reason: unknown): void {
    for (const { abort } of this.#flights.values()) abort.abort(reason);
    this.#source.close?.();
  }

  /** Returns the numbers of the parts in some ranges, ascending. */
  #partsOf(ranges: readonly (readonly [number, number])[]): number[] {
    const layout = this.#layout;
    const parts = new Set<number>();
    for (const [start, end] of ranges) for (let part = layout.partAt(start); layout.offsetOf(part) < end; part++) parts.add(part);
    return [...parts].sort((a, b) => a - b);
  }

  #partsIn({ start, bytes }: Run): number[] {
    return this.#partsOf([[start, start + bytes.length]]);
  }

  /** Joins parts that are near each other. */
  #spansOf(parts: readonly number[]): [start: number, end: number][] {
    const spans: [number, number][] = [];
    for (const part of parts) {
      const [start, end] = [this.#layout.offsetOf(part), this.#layout.offsetOf(part + 1)];
      const last = spans.at(-1);
      if (last && start - last[1] <= this.#layout.gap && end - last[0] <= MOST) last[1] = end;
      else spans.push([start, end]);
    }
    return spans;
  }

  #begin([start, end]: [number, number], reload: boolean): Flight {
    const abort = new AbortController();
    const parts = this.#partsOf([[start, end]]);
    const run = this.#inTurn(() => this.#source.read(start, end, { signal: abort.signal, reload })).then((bytes) => {
      const fetched = { start, bytes };
      this.#keep(fetched);
      return fetched;
    });
    const flight: Flight = { run, abort, waiting: 0 };
    for (const part of parts) this.#flights.set(part, flight);
    const land = (): void => parts.forEach((part) => this.#flights.get(part) === flight && this.#flights.delete(part));
    run.then(land, land);
    // A call that begins now must not wait for a request that is being aborted.
    abort.signal.addEventListener("abort", land);
    return flight;
  }

  /** Runs the work once fewer requests than the limit are under way. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.#busy >= AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      this.#queue.shift()?.();
    }
  }

  #keep(run: Run): void {
    for (const part of this.#partsIn(run)) this.#runs.set(part, run);
    this.#byUse.add(run);
    this.#held += run.bytes.length;
  }

  #used(run: Run): Run {
    if (this.#byUse.delete(run)) this.#byUse.add(run);
    return run;
  }

  #drop(run: Run): void {
    this.#byUse.delete(run);
    this.#held -= run.bytes.length;
    for (const part of this.#partsIn(run)) if (this.#runs.get(part) === run) this.#runs.delete(part);
  }

  /** Returns a range of runs; a copy if it spans several. */
  #joined(runs: ReadonlyMap<number, Run>, start: number, end: number): Uint8Array {
    const inRun = (at: number): Uint8Array => {
      const run = runs.get(this.#layout.partAt(at))!;
      return run.bytes.subarray(at - run.start, end - run.start);
    };
    const first = inRun(start);
    if (first.length === end - start) return first;
    const bytes = new Uint8Array(end - start);
    for (let at = start; at < end; ) {
      const next = inRun(at);
      bytes.set(next, at - start);
      at += next.length;
    }
    return bytes;
  }
}
