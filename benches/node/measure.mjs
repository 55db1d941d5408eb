// Clocks, memory and percentiles.

import { readFileSync } from "node:fs";

/** Returns the time in seconds since an arbitrary moment. */
export const now = () => performance.now() / 1000;

/**
 * Runs one turn of an engine, and returns nanoseconds per query, in order. It first runs some of the queries untimed,
 * because other engines used the processor in between; `src/measure.rs` does the same.
 */
export function turn(engine, queries, warmUpMilliseconds) {
  const until = performance.now() + warmUpMilliseconds;
  for (let i = 0; performance.now() < until; i = (i + 1) % queries.length) engine.search(queries[i]);
  return queries.map((query) => {
    const started = performance.now();
    engine.search(query);
    return Math.round((performance.now() - started) * 1e6);
  });
}

/** Returns the resident memory of this process, or undefined if the system does not report it. */
export function residentBytes() {
  try {
    const rollup = readFileSync("/proc/self/smaps_rollup", "latin1");
    return Number(/^Rss:\s+(\d+) kB$/m.exec(rollup)[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** Returns the seconds for one copy of `length` bytes into new wasm memory: the lower bound of opening a file. */
export function copySeconds(length) {
  const bytes = new Uint8Array(length).fill(1);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(length / 65536) });
  const started = now();
  new Uint8Array(memory.buffer).set(bytes);
  return now() - started;
}

/** Returns the nearest-rank percentile: the smallest value that at least `percent` % of the values do not exceed. */
export function percentile(values, percent) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

export const median = (values) => percentile(values, 50);
