// The target figures of the project: each is a ratio within one run, with a bound.

/** A bound that holds if the measured ratio is at most, or at least, the given number. */
const atMost = (limit) => ({ limit, sign: "≤", holds: (ratio) => ratio <= limit });
const atLeast = (limit) => ({ limit, sign: "≥", holds: (ratio) => ratio >= limit });

const search = (engine, name, percent) => engine.nanoseconds[name][percent];
const load = ({ open }) => open.startSeconds + open.openSeconds + open.firstSeconds;
const MEGABYTE = 1e6;

/** `needs`: the engines to compare, snapseek first; `ratio` gets them in that order. */
const FIGURES = [
  {
    text: "wasm, OR of 2–5 words, p50: at most 1/50 of sqlite-wasm's",
    needs: ["snapseek-wasm", "sqlite-wasm"],
    ratio: (ours, peer) => search(ours, "or-2-5", "p50") / search(peer, "or-2-5", "p50"),
    bound: atMost(1 / 50),
  },
  {
    text: "wasm, OR of 2–5 words, p95: at most 1/60 of sqlite-wasm's",
    needs: ["snapseek-wasm", "sqlite-wasm"],
    ratio: (ours, peer) => search(ours, "or-2-5", "p95") / search(peer, "or-2-5", "p95"),
    bound: atMost(1 / 60),
  },
  {
    text: "wasm, OR of 2–5 words, p95: at most 1/5 of flexsearch's",
    needs: ["snapseek-wasm", "flexsearch"],
    ratio: (ours, peer) => search(ours, "or-2-5", "p95") / search(peer, "or-2-5", "p95"),
    bound: atMost(1 / 5),
  },
  {
    text: "wasm, OR of 2–5 words, p50: at most 1.5 × native tantivy's",
    needs: ["snapseek-wasm", "tantivy"],
    ratio: (ours, peer) => search(ours, "or-2-5", "p50") / search(peer, "or-2-5", "p50"),
    bound: atMost(1.5),
  },
  {
    text: "wasm, OR of 2–5 words, p99: at most native tantivy's",
    needs: ["snapseek-wasm", "tantivy"],
    ratio: (ours, peer) => search(ours, "or-2-5", "p99") / search(peer, "or-2-5", "p99"),
    bound: atMost(1),
  },
  {
    text: "wasm, prefix, p50: at most 1/50 of sqlite-wasm's",
    needs: ["snapseek-wasm", "sqlite-wasm"],
    ratio: (ours, peer) => search(ours, "prefix", "p50") / search(peer, "prefix", "p50"),
    bound: atMost(1 / 50),
  },
  {
    text: "native, OR of 2–5 words, p50: at most tantivy's",
    needs: ["snapseek", "tantivy"],
    ratio: (ours, peer) => search(ours, "or-2-5", "p50") / search(peer, "or-2-5", "p50"),
    bound: atMost(1),
  },
  {
    text: "wasm, module start, open and first answer: at most 1/15 of sqlite-wasm's",
    needs: ["snapseek-wasm", "sqlite-wasm"],
    ratio: (ours, peer) => load(ours) / load(peer),
    bound: atMost(1 / 15),
  },
  {
    text: "wasm, open alone: at most 1/15 of sqlite-wasm's start, open and first answer",
    needs: ["snapseek-wasm", "sqlite-wasm"],
    ratio: (ours, peer) => ours.open.openSeconds / load(peer),
    bound: atMost(1 / 15),
  },
  {
    text: "wasm, open alone: at most 2 × one copy of the same bytes",
    needs: ["snapseek-wasm"],
    ratio: (ours) => ours.open.openSeconds / ours.open.copySeconds,
    bound: atMost(2),
  },
  {
    text: "index with positions, no documents: at most 0.6 × FTS5's file",
    needs: ["snapseek", "fts5"],
    ratio: (ours, peer) => ours.build[1].indexBytes / peer.build[1].indexBytes,
    bound: atMost(0.6),
  },
  {
    text: "index with positions, no documents: at most 1.1 × tantivy's",
    needs: ["snapseek", "tantivy"],
    ratio: (ours, peer) => ours.build[1].indexBytes / peer.build[1].indexBytes,
    bound: atMost(1.1),
  },
  {
    // The time of FTS5 excludes `optimize`, which is the stricter comparison.
    text: "native build, one thread, records per second: at least FTS5's",
    needs: ["snapseek", "fts5"],
    ratio: (ours, peer) => peer.build[1].buildSeconds / ours.build[1].buildSeconds,
    bound: atLeast(1),
  },
  {
    text: "native build, two threads: at least 1.7 × one",
    needs: ["snapseek"],
    ratio: (ours) => ours.build[1].buildSeconds / ours.build[2].buildSeconds,
    bound: atLeast(1.7),
  },
  {
    text: "wasm, memory after open: at most the snapshot and 10 MB",
    needs: ["snapseek-wasm"],
    ratio: (ours) => ours.open.ownBytes / (ours.build[1].fileBytes + 10 * MEGABYTE),
    bound: atMost(1),
  },
  {
    text: "native, memory after open: at most the snapshot and 10 MB",
    needs: ["snapseek"],
    ratio: (ours) => ours.open.residentBytes / (ours.build[1].fileBytes + 10 * MEGABYTE),
    bound: atMost(1),
  },
];

/** Returns each figure with its measured ratio and whether it is reached; both are undefined if an engine is absent. */
export function figures(results) {
  const engines = Object.fromEntries(results.engines.map((engine) => [engine.name, engine]));
  return FIGURES.map(({ text, needs, ratio, bound }) => {
    const compared = needs.map((name) => engines[name]);
    const measured = compared.some((engine) => engine.absent) ? undefined : ratio(...compared);
    return {
      text,
      bound: `${bound.sign} ${Number(bound.limit.toFixed(4))}`,
      ratio: measured,
      reached: measured === undefined ? undefined : bound.holds(measured),
    };
  });
}
