// The steps of the RAG recipe as pure functions over plain results. They need no WebAssembly, and return the bits that the
// Rust library returns (snapseek::primitives): tests/rag-primitives.json holds both to the same cases.

import type { RagFilters, RagGraph, RagGraphEdge, RagGraphNode, RagMode, RagNeighbor, RagRerank } from "./rag.types.js";

/** The share of a score that is left one chunk away. */
const STEP = 0.85;
const MAX_WINDOW = 5;
const DEFAULT_NODES = 60;
const MAX_NODES = 500;
/** An edge adds its full weight to its source node and this share of it to its target. */
const SHARE_OF_TARGET = 0.8;
const DEFAULT_GRAPH_WEIGHT = 0.2;
const MAX_GRAPH_WEIGHT = 0.75;
const DEFAULT_RELATION_WEIGHT = 0.25;
const RELATION_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["action_context", 1],
  ["thought_action", 0.85],
  ["thought_context", 0.85],
  ["context_member", 0.75],
  ["thought_parent", 0.5],
  ["thought_child", 0.5],
  ["session_peer", 0.35],
]);

type Id = string | number;

/** A chunk with the fields that link its source; every result of `rag.search` is one. */
export interface LinkedChunk {
  /** The id. It names the source of a chunk without `sourceType` or `sourceId`. */
  readonly id: string;
  /** The kind of the record. Defaults to `"document"`. */
  readonly kind?: string | undefined;
  readonly sourceType?: string | undefined;
  readonly sourceId?: Id | undefined;
  readonly sessionId?: Id | undefined;
  /** The id of a source of type `"context"`. */
  readonly contextId?: Id | undefined;
  /** The id of a source of type `"action"`. */
  readonly actionId?: Id | undefined;
  /** The id of a source of the same type. */
  readonly parentId?: Id | undefined;
}

/** A chunk with a score. */
export interface ScoredChunk extends LinkedChunk {
  readonly score: number;
}

/** The options of {@link buildGraphPayload}. */
export interface GraphPayloadOptions {
  /** The greatest number of nodes, 1 to 500. Other numbers are clamped. Defaults to 60. */
  readonly nodeLimit?: number;
  /** Links sources of the same session. Defaults to `false`. */
  readonly includeSession?: boolean;
  /** Chunks that are no results, whose sources may be one link away. Defaults to none. */
  readonly records?: readonly LinkedChunk[];
}

/** The options of {@link applyGraphRerank}. */
export interface GraphRerankOptions {
  /** Whether the graph counts. Defaults to `true`. */
  readonly enabled?: boolean;
  /** The weight of the graph, 0 to 0.75; the score has the rest. Other numbers are clamped. Defaults to 0.2. */
  readonly weight?: number;
}

/**
 * Returns the score of a rank, from 0, among `total` results: 1 for the first, 0 for the last, and 1 where there is only one.
 */
export function normalizeRankScore(rank: number, total: number): number {
  return total <= 1 ? 1 : 1 - rank / (total - 1);
}

/** Returns the mode with this name; `"hybrid"` for every other value. */
export function getSearchMode(mode?: unknown): RagMode {
  return mode === "fts" || mode === "semantic" ? mode : "hybrid";
}

/** Returns the conditions on sources among the options of a search, as the response reports them. */
export function buildFilters(options: {
  readonly sourceType?: string | readonly string[] | undefined;
  readonly sessionId?: Id | undefined;
  readonly contextId?: Id | undefined;
} = {}): RagFilters {
  const { sourceType, sessionId, contextId } = options;
  const id = (value: Id | undefined): string | null => (value === undefined ? null : String(value));
  const types = typeof sourceType === "string" ? [sourceType] : sourceType;
  return { sourceType: types ? [...types] : null, sessionId: id(sessionId), contextId: id(contextId) };
}

/**
 * Reranks results, best first, by a graph of their sources: score = (1 − weight) · base + weight · signal.
 *
 * Each edge adds the weight of its relation to the signal of its start, and 80 % of it to its end; signals are divided by the
 * greatest. Equal scores keep their order.
 *
 * ```js
 * const graph = buildGraphPayload(results, { records });
 * const { results: reranked, changedRanks } = applyGraphRerank(results, graph, { weight: 0.3 });
 * ```
 *
 * @returns The results with their new scores, best first, and the number of results that moved. Each has `rerank` with the
 * score before the graph and the signal, unless `enabled` is `false`.
 */
export function applyGraphRerank<R extends ScoredChunk>(
  results: readonly R[],
  graph: { readonly edges: readonly Pick<RagGraphEdge, "from" | "to" | "relation">[] },
  { enabled = true, weight = DEFAULT_GRAPH_WEIGHT }: GraphRerankOptions = {},
): { readonly results: (R & { readonly rerank?: RagRerank })[]; readonly changedRanks: number } {
  if (!enabled) return { results: [...results], changedRanks: 0 };
  // The comparison is false for NaN.
  const used = weight > 0 ? Math.min(weight, MAX_GRAPH_WEIGHT) : 0;
  const signals = signalsOf(graph.edges);
  const reranked = results.map((result) => {
    const signal = signals.get(nameOf(sourceOf(result))) ?? 0;
    const base = result.score;
    return { ...result, score: (1 - used) * base + used * signal, rerank: { base, signal } };
  });
  const order = reranked.map((_, place) => place).sort((a, b) => reranked[b]!.score - reranked[a]!.score || a - b);
  return {
    results: order.map((place) => reranked[place]!),
    changedRanks: order.filter((place, rank) => place !== rank).length,
  };
}

function signalsOf(edges: readonly Pick<RagGraphEdge, "from" | "to" | "relation">[]): Map<string, number> {
  const signals = new Map<string, number>();
  for (const { from, to, relation } of edges) {
    const weight = weightOf(relation);
    signals.set(from, (signals.get(from) ?? 0) + weight);
    signals.set(to, (signals.get(to) ?? 0) + SHARE_OF_TARGET * weight);
  }
  let most = 0;
  for (const signal of signals.values()) if (signal > most) most = signal;
  return new Map(Array.from(signals, ([id, signal]) => [id, signal / most]));
}

function weightOf(relation: string): number {
  return RELATION_WEIGHTS.get(relation) ?? DEFAULT_RELATION_WEIGHT;
}

/**
 * Adds to results, best first, the chunks up to `windowSize` before and after each of them, at 85 % of its score per chunk of
 * distance. A chunk's neighbours are those whose ids differ in the number after the last `#` alone.
 *
 * A chunk near several results, or a result near a better one, takes the best score. Equal scores go by distance, then by the
 * order of the results.
 *
 * @param windowSize 0 to 5; other numbers are clamped.
 * @param neighbours The chunks that may be added.
 * @returns Results and neighbours, best first, and the number of neighbours. A chunk whose score comes from another has
 * `neighbor` with the id of that seed and the distance to it.
 */
export function expandWithNeighborChunks<R extends { readonly id: string; readonly score: number }, N extends { readonly id: string }>(
  results: readonly R[],
  windowSize: number,
  neighbours: readonly N[],
): { readonly results: ((R | N) & { readonly score: number; readonly neighbor?: RagNeighbor })[]; readonly added: number } {
  const chunks = new Map<string, R | N>();
  for (const chunk of [...results, ...neighbours]) if (!chunks.has(chunk.id)) chunks.set(chunk.id, chunk);
  const rows = new Map(Array.from(chunks.keys(), (id, row) => [id, row]));
  const seeds = new Map<string, { readonly rank: number; readonly score: number }>();
  for (const { id, score } of results) if (!seeds.has(id)) seeds.set(id, { rank: seeds.size, score });
  const best = new Map<string, { score: number; seed: string; distance: number }>();
  for (const [id, { score }] of seeds) best.set(id, { score, seed: id, distance: 0 });
  for (const [seed, { score: own }] of seeds) {
    for (const [id, distance] of neighbourIds(seed, windowSize)) {
      if (!chunks.has(id)) continue;
      const score = own * shareAt(distance);
      const known = best.get(id);
      const isBetter = !known || score > known.score || (score === known.score && distance < known.distance);
      if (isBetter) best.set(id, { score, seed, distance });
    }
  }
  const rank = (seed: string): number => seeds.get(seed)!.rank;
  const order = [...best].sort(
    ([a, one], [b, other]) =>
      other.score - one.score || one.distance - other.distance || rank(one.seed) - rank(other.seed) || rows.get(a)! - rows.get(b)!,
  );
  const expanded = order.map(([id, { score, seed, distance }]) => {
    const chunk = { ...chunks.get(id)!, score };
    return distance > 0 ? { ...chunk, neighbor: { seed, distance } } : chunk;
  });
  return { results: expanded, added: best.size - seeds.size };
}

function shareAt(distance: number): number {
  let share = 1;
  for (let step = 0; step < distance; step++) share *= STEP;
  return share;
}

/** The id of the whole and the number of the chunk, for an id such as `note:7#2`. */
function numbered(id: string): readonly [whole: string, number: number] | undefined {
  const found = /^([\s\S]*)#(0|[1-9]\d*)$/.exec(id);
  return found && Number.isSafeInteger(Number(found[2])) ? [found[1]!, Number(found[2])] : undefined;
}

function* neighbourIds(id: string, windowSize: number): Generator<readonly [id: string, distance: number]> {
  const chunk = numbered(id);
  if (!chunk) return;
  const [whole, number] = chunk;
  for (let distance = 1; distance <= Math.min(windowSize, MAX_WINDOW); distance++) {
    if (number >= distance) yield [`${whole}#${number - distance}`, distance];
    yield [`${whole}#${number + distance}`, distance];
  }
}

interface SourceName {
  readonly sourceType: string;
  readonly sourceId: string;
}

function sourceOf({ id, kind = "document", sourceType = kind, sourceId = numbered(id)?.[0] ?? id }: LinkedChunk): SourceName {
  return { sourceType, sourceId: String(sourceId) };
}

function nameOf({ sourceType, sourceId }: SourceName): string {
  return `${sourceType}:${sourceId}`;
}

type Link = "sessionId" | "contextId" | "actionId" | "parentId";

/**
 * Builds the graph of the sources of results: nodes for these sources and for sources one link away, and edges by the fields
 * `contextId`, `actionId` and `parentId`, and with `includeSession` by `sessionId`.
 *
 * A source that is named but has no chunk among `results` and `records` is no node. `rag.search` builds the same graph from
 * all chunks of the engine, and from its stored links too.
 */
export function buildGraphPayload(
  results: readonly LinkedChunk[],
  { nodeLimit = DEFAULT_NODES, includeSession = false, records = [] }: GraphPayloadOptions = {},
): RagGraph {
  const graph = new GrowingGraph(nodeLimit > 1 ? Math.min(Math.floor(nodeLimit), MAX_NODES) : 1);
  const chunks = [...results, ...records];
  const seeds = results.filter((chunk) => graph.addSeed(sourceOf(chunk)));
  for (const chunk of seeds) {
    const source = sourceOf(chunk);
    const name = nameOf(source);
    // Links of the source itself.
    const targets = [["contextId", "context", "context"], ["actionId", "action", "action"], ["parentId", source.sourceType, "parent"]] as const;
    for (const [link, target, relation] of targets) {
      const other = chunks.find(({ sourceType, sourceId }) => sourceType === target && isSame(sourceId, chunk[link]));
      if (other) graph.link(name, sourceOf(other), `${source.sourceType}_${relation}`, "to");
    }
    // Links of other sources to it.
    const linked = (link: Link, value: Id | undefined, visit: (other: SourceName) => boolean): void => {
      chunks.filter((other) => isSame(other[link], value)).every((other) => visit(sourceOf(other)));
    };
    if (source.sourceType === "context") {
      linked("contextId", source.sourceId, (other) => graph.link(name, other, "context_member", "to"));
    }
    if (source.sourceType === "action") {
      linked("actionId", source.sourceId, (other) => graph.link(name, other, `${other.sourceType}_action`, "from"));
    }
    linked("parentId", source.sourceId, (other) =>
      other.sourceType !== source.sourceType || graph.link(name, other, `${source.sourceType}_child`, "to"));
    if (includeSession) linked("sessionId", chunk.sessionId, (other) => graph.link(name, other, "session_peer", "either"));
  }
  return graph.payload();
}

function isSame(a: Id | undefined, b: Id | undefined): boolean {
  return a !== undefined && b !== undefined && String(a) === String(b);
}

class GrowingGraph {
  readonly #limit: number;
  readonly #nodes = new Map<string, RagGraphNode>();
  readonly #edges = new Map<string, RagGraphEdge>();
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds the source of a result; whether it is a new node. */
  addSeed(source: SourceName): boolean {
    return !this.#nodes.has(nameOf(source)) && this.#node(source, true);
  }

  /** Whether the source has a node, or there was room for one. */
  #node(source: SourceName, isSeed: boolean): boolean {
    const id = nameOf(source);
    if (this.#nodes.has(id)) return true;
    if (this.#nodes.size >= this.#limit) {
      this.#truncated = true;
      return false;
    }
    this.#nodes.set(id, { id, ...source, isSeed });
    return true;
  }

  /** Links a node with a source, unless the same edge is there; whether there was room for the source. */
  link(node: string, source: SourceName, relation: string, direction: "to" | "from" | "either"): boolean {
    if (!this.#node(source, false)) return false;
    const other = nameOf(source);
    const [from, to] = direction === "from" ? [other, node] : [node, other];
    const key = (from: string, to: string): string => JSON.stringify([from, to, relation]);
    const isKnown = this.#edges.has(key(from, to)) || (direction === "either" && this.#edges.has(key(to, from)));
    if (other !== node && !isKnown) this.#edges.set(key(from, to), { from, to, relation, weight: weightOf(relation) });
    return true;
  }

  payload(): RagGraph {
    const [nodes, edges] = [[...this.#nodes.values()], [...this.#edges.values()]];
    return { nodeCount: nodes.length, edgeCount: edges.length, truncated: this.#truncated, nodes, edges };
  }
}
