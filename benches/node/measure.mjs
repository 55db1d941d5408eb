// Clocks, memory and percentiles.

import { readFileSync } from "node:fs";

/** Seconds since some moment. */
export const now = () => performance.now() / 1000;

/**
 * One turn of an engine: nanoseconds per query, in order. It begins with some of the same queries untimed, because
 * other engines had the processor in between; `src/measure.rs` does the same.
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

/** Memory of this process that is in RAM, or undefined where the system does not say. */
export function residentBytes() {
  try {
    const rollup = readFileSync("/proc/self/smaps_rollup", "latin1");
    return Number(/^Rss:\s+(\d+) kB$/m.exec(rollup)[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** Seconds for one copy of `length` bytes into fresh wasm memory: the least that any opening can take. */
export function copySeconds(length) {
  const bytes = new Uint8Array(length).fill(1);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(length / 65536) });
  const started = now();
  new Uint8Array(memory.buffer).set(bytes);
  return now() - started;
}

/** The nearest-rank percentile: the smallest value that at least `percent` % of the values do not exceed. */
export function percentile(values, percent) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

export const median = (values) => percentile(values, 50);
