// The exports that every entry except the search-only ones has besides `open` and `build`.

export { federation, type Federation, type Tier } from "./federation.js";
export { openInWorker, type Remote, type RemoteEngine } from "./remote.js";
export * from "./exports.js";
export * from "./memory-score.js";
export * from "./primitives.js";
export * from "./rag-primitives.js";
