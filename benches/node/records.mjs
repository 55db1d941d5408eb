// The records of the benchmark, parsed one line at a time; every engine's build time includes this.

/** The number of hits per search. */
export const LIMIT = 10;

/** Yields the records of JSON-lines text without splitting it all at once. */
export function* records(lines) {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf("\n", start);
    const stop = end === -1 ? lines.length : end;
    if (stop > start) yield JSON.parse(lines.slice(start, stop));
    start = stop + 1;
  }
}
