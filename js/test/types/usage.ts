// Programs that must compile. Each line after `@ts-expect-error` must not.

import { applyGraphRerank, build, buildGraphPayload, computeScore, DEFAULT_WEIGHTS, expandWithNeighborChunks, formatZodError, getSearchMode, normaliseRrfScores, open, recencyBoost, reciprocalRankFusion, SnapseekError, weightedRankFusion } from "../../../pkg/node.js";
import { connect, expose, openInWorker } from "../../../pkg/worker.js";
import type { RemoteEngine } from "../../../pkg/worker.js";
import * as slim from "../../../pkg/search-node.js";
import * as inFiles from "../../../pkg/persist-node.js";
import { persist, type Store } from "../../../pkg/persist.js";
import * as web from "../../../pkg/web.js";
import type { Embed, Engine, ErrorCode, Filter, FTSResult, FtsSearchResult, Hit, MatchRow, Memory, MemoryResponse, MemoryResult, MemoryUsage, MemoryWritten, RankingWeights, RecordInput, Schema, Searcher, SearchResponse, SearchResult, SimilarityResult, VectorResult, WeightedResult } from "../../../pkg/node.js";

declare const bytes: Uint8Array;

export async function whatCompiles(): Promise<void> {
  using engine: Engine = await open(fetch("/docs.snap"));
  for (const source of ["path", new URL("file:///a"), bytes, new ArrayBuffer(1), new Blob(), new Response()]) await open(source);
  await web.open(new Blob([]).stream());

  const schema: Schema = { cjk: "bigrams", forms: true, fields: { title: { weight: 2 }, body: {} }, attributes: { at: "time" } };
  interface Note extends RecordInput {
    title: string;
    at: Date;
  }
  const notes: Note[] = [{ id: 1, title: "a", at: new Date() }];
  const built = await build(new Set(notes), schema);
  await build("{}\n");
  await build([], "memory");

  const rows: readonly MatchRow[] = engine.match("a OR b", { limit: 3, weights: [1, 2] });
  const snippet: string | null | undefined = rows[0]?.snippet;
  const filter: Filter = { at: { gte: new Date(), lt: "2030-01-01" }, tags: ["a", "b"], topic: null, not: { open: true }, or: [{ n: 1 }, {}] };
  const response: SearchResponse = await engine.search("a", { filter, typos: 1, snippet: { tokens: 10 }, weights: { title: 3 } });
  const hit: Hit | undefined = response.hits[0];
  const total: number | undefined = engine.searchSync("a", { count: true }).total;
  const marks: string | null | undefined = hit?.highlights?.["title"];
  const embed: Embed = async (texts) => texts.map((text) => new Float32Array(text.length));
  await build(notes, { ...schema, vectors: { own: { embedder: "hash" }, given: { encoding: "i1", metric: "dot", field: "v" } } });
  const fused = await engine.search("a", { mode: "hybrid", vector: [1, 2], embed, fusion: "sum", alpha: 0.3, recency: {} });
  const similarity: number | undefined = fused.hits[0]?.explain?.vector?.similarity;
  const own: Float32Array | undefined = (await open(bytes, { embed })).embed("a", "own");
  void [similarity, own, fused.legs.vector, fused.fusion];
  const took: number = (await engine.search("a", { strict: true, explain: true, now: new Date() })).elapsed;
  const warnings: readonly string[] = [...engine.warnings, ...engine.add(notes).warnings, ...engine.remove(["a"]).warnings];
  const removed: number = engine.remove([1]).removed;
  await build(notes, { ...schema, vectors: { own: {} } }, { embed, strict: true });
  void [took, warnings, removed];
  const unified = await engine.unified.search({ query: "a", type: "sessions", dateStart: new Date(), concepts: ["b"], embed });
  const decided: string | undefined = (await engine.unified.decisions("a", { limit: 3 })).hits[0]?.title;
  const p95: number = engine.unified.stats().latency.p95;
  const expanded = await engine.unified.search({ expand: true, expansions: 2, vocabulary: false, shortCircuit: { score: 0.9 }, strict: true });
  const milliseconds: number = expanded.elapsed;
  const reasons: readonly string[] = expanded.warnings;
  await engine.unified.search({ shortCircuit: false, explain: true, now: new Date() });
  void [unified.shortCircuit, decided, p95, milliseconds, reasons, await engine.unified.warm({ signal: AbortSignal.timeout(1) })];
  await open("a.snap", { docs: new URL("file:///a"), onMissingRanges: "download", docsCache: 1 << 20 });
  await open(bytes, { docs: [new Blob(), "b"] });
  const matched: MatchRow[] = await engine.withDocuments(() => engine.match("a"), { signal: AbortSignal.timeout(1) });
  const parts: readonly Uint8Array[] = engine.splitSnapshot({ maxFileSize: 25 << 20 }).docs;
  void [matched, parts];
  const store: Store = await persist("notes", { open: web.open, in: "opfs" });
  const kept: Engine = await store.open(() => fetch("/a.snap"), { renew: true, embed, docs: "a.docs" });
  await store.save(kept);
  const compacted: Engine = await store.compact(kept);
  await (await inFiles.persist("notes", { open, in: "file", folder: "." })).open(() => compacted);
  await store.clear();
  engine.remove(["a", 1, { id: "a", kind: "note" }]);
  built.apply(engine.changes());
  await open(engine.snapshot());
  const near: SimilarityResult[] = [{ id: "a", similarity: 0.5 }];
  const matching: FtsSearchResult[] = [{ id: "a", rank: -1 }];
  const weighted: WeightedResult[] = weightedRankFusion([near, matching, ["a"], [{ id: "a", kind: "note" }]], { k: 10, weights: [1], bonuses: [] });
  void weighted;
  const fusedIds: Map<string, number> = normaliseRrfScores(reciprocalRankFusion(["a"], [{ id: "b" }], 10));
  const boost: number = recencyBoost("2026-01-01", new Date(), 0.1);
  const told: string = formatZodError({ issues: [{ path: ["limit", 0], message: "too large" }] });
  void [fusedIds, boost, told];
  void [snippet, total, marks, engine.suggest("a")[0]?.word, engine.add(notes).added, engine.record(1)?.["title"]];
}

export async function whatTheMemoryRecipeGives(engine: Engine): Promise<void> {
  const { results, skipped }: MemoryResponse<MemoryResult> = await engine.memory.search({ query: "a", sector: "semantic", track: false });
  const content: string | undefined = results[0]?.supersededBy?.content;
  for (const result of (await engine.memory.search({ query: "a", includeDocuments: true })).results) {
    const id: string | number = result.type === "memory" ? result.memory.id : result.documentId;
    void id;
  }
  const summary: string | undefined = (await engine.memory.timeline("a", 1)).sessions.get("s")?.summary;
  const usage: MemoryUsage | undefined = (await engine.memory.sessionContext("a"))?.usageType;
  const { id, embedded } = await engine.memory.create({ content: "a", createdAt: new Date() }, "project", "session");
  await engine.memory.linkToSession(id, "s", "recalled");
  await open(bytes, { memory: { decay: true, weights: { sectorBoost: { own: 2 } } } });
  const changed: MemoryWritten = await engine.memory.update(id, { summary: null, tags: ["a"] }, { sessionId: "s" });
  const memory: Memory | undefined = await engine.memory.get(id, { signal: new AbortController().signal });
  const [fts]: readonly FTSResult[] = (await engine.memory.searchFts("a", { includeSuperseded: true, raw: true })).results;
  const [near]: readonly VectorResult[] = (await engine.memory.searchVector("a", { strict: true, limit: 3 })).results;
  const weights: RankingWeights = { ...DEFAULT_WEIGHTS, recency: 0 };
  const score: number = memory ? computeScore(memory, 0.5, -2, weights, new Date()) : 0;
  const first: SearchResult | undefined = results[0];
  void [changed.warnings, fts?.rank, near?.distance, score, first?.explain?.parts];
  // @ts-expect-error: content cannot be removed.
  await engine.memory.update(id, { content: null });
  // @ts-expect-error: a memory has content.
  await engine.memory.create({});
  // @ts-expect-error: a use is one of four.
  await engine.memory.linkToSession(id, "s", "seen");
  // @ts-expect-error: there is no such mode.
  await engine.memory.search({ query: "a", mode: "vector" });
  void [skipped, content, summary, usage, embedded];
}

interface Note {
  readonly id: number;
  readonly title: string;
  readonly tags: readonly string[];
}

export async function whatIsGeneric(): Promise<void> {
  const engine: Engine<Note> = await open<Note>(bytes);
  const title: string | undefined = (await engine.search("a", { records: true })).hits[0]?.record?.title;
  const tags: readonly string[] | undefined = engine.record(1)?.tags;
  const note: Note = { id: 1, title: "a", tags: [] };
  engine.add([note, { id: 2, title: "b", tags: [], at: new Date() }]);
  const built: Engine<Note> = await build<Note>([note]);
  const plain: Engine = await build([note].values());
  const searcher: Searcher<Note> = await slim.open<Note>(bytes);
  const found: Note | undefined = searcher.searchSync("a", { records: true }).hits[0]?.record;
  void [title, tags, built, plain, found];
  // @ts-expect-error: records have the type that `open` was given.
  engine.record(1)?.colour;
  // @ts-expect-error: a stored record is read-only.
  engine.record(1)!.title = "b";
  // @ts-expect-error: without a type parameter a property may be any JSON value.
  const titles: string = plain.record(1)!["title"];
  // @ts-expect-error: a searcher cannot write.
  searcher.add([note]);
  // @ts-expect-error: the search-only package cannot build.
  slim.build([note]);
  // @ts-expect-error: a record is an object.
  await open<string>(bytes);
  void titles;
}

export async function whatIsLoaded(module: WebAssembly.Module, signal: AbortSignal): Promise<void> {
  for (const wasm of [module, bytes as Uint8Array<ArrayBuffer>, new URL("file:///a"), "/a.wasm", new Response()]) await open(bytes, { wasm });
  await open(bytes, { wasm: fetch("/a.wasm"), signal, onProgress: ({ loaded, total }) => void (loaded / (total ?? 1)) });
  await build([], undefined, { signal, onProgress: ({ records, total }) => void (records / (total ?? 1)) });
  const engine = await open(bytes);
  await engine.search("a", { signal });
  // @ts-expect-error: a synchronous call cannot be aborted.
  engine.searchSync("a", { signal });
  // @ts-expect-error: a number is not a module.
  await open(bytes, { wasm: 7 });
  // @ts-expect-error: a controller is not a signal.
  await open(bytes, { signal: new AbortController() });
}

export async function whatIsInAWorker(worker: Worker, scope: MessagePort, self: DedicatedScope): Promise<void> {
  const engine: RemoteEngine<Note> = await openInWorker<Note>(worker, "/docs.snap");
  const length: number = await engine.length;
  const title: string | undefined = (await engine.search("a")).hits[0]?.record?.title;
  const rows: readonly MatchRow[] = await engine.match("a");
  await engine.free();
  await connect(scope).build<Note>([{ id: 1, title: "a", tags: [] }]);
  expose(self);
  void [length, title, rows];
  // @ts-expect-error: every call in a worker returns a promise.
  engine.match("a").length;
  // @ts-expect-error: a URL is not a worker.
  await openInWorker("/worker.js", bytes);
}

/** The worker scope of TypeScript's library for workers, which conflicts with the library for pages. */
interface DedicatedScope {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: string, listener: (event: Event) => void): void;
}

export function whatIsThrown(thrown: unknown, expression: string): string | undefined {
  if (!(thrown instanceof SnapseekError)) return undefined;
  const code: ErrorCode = thrown.code;
  if (code === "query/syntax" || code === "option/limit") return thrown.remedy;
  return thrown.span && expression.slice(...thrown.span);
}

export async function whatRagTakes(engine: Engine): Promise<void> {
  const indexed = await engine.rag.index([{ sourceType: "note", sourceId: 1, body: "a" }], { embed: async () => [[1]], strict: true });
  for (const report of indexed.sources) if (report.skipped) report.reason satisfies "content_unchanged" | "empty_body" | "other_type" | "superseded";
  const one = await engine.rag.index({ sourceType: "note", sourceId: 1, body: "a" }, { parallelBatches: 4, checkpointEvery: 100, sourceTypes: ["note"] });
  one.warnings satisfies readonly string[];
  one.elapsed satisfies number;
  engine.rag.remove({ sourceType: "note", sourceId: 1 }).elapsed satisfies number;
  const { results, graph, embedding } = await engine.rag.search({ query: "a", mode: "semantic", sourceType: ["note"], explain: true });
  const [chunk] = results;
  chunk?.neighbor?.seed satisfies string | undefined;
  chunk?.explain?.parts[0]?.product satisfies number | undefined;
  chunk?.explain?.keyword?.bm25 satisfies number | undefined;
  const expanded = expandWithNeighborChunks(results, 1, [{ id: "note:1#1", text: "b" }]);
  expanded.results[0]?.neighbor?.distance satisfies number | undefined;
  const reranked = applyGraphRerank(results, buildGraphPayload(results, { records: results }), { weight: 0.3 });
  reranked.results[0]?.sourceType satisfies string | undefined;
  reranked.changedRanks satisfies number;
  getSearchMode("odd") satisfies "fts" | "semantic" | "hybrid";
  graph?.edges[0]?.relation satisfies string | undefined;
  embedding?.provider satisfies "embed" | "hash" | "static" | undefined;
}

export async function whatDoesNotCompile(engine: Engine): Promise<void> {
  // @ts-expect-error: an engine comes from open or build.
  new (engine.constructor as typeof Engine)();
  // @ts-expect-error: a number is not a source.
  await open(7);
  // @ts-expect-error: a record has an id.
  engine.add([{ title: "a" }]);
  // @ts-expect-error: there is no such preset.
  await build([], "attic");
  // @ts-expect-error: a schema has fields.
  await build([], { attributes: {} });
  // @ts-expect-error: there is no such type of attribute.
  await build([], { fields: {}, attributes: { a: "integer" } });
  // @ts-expect-error: there is no such option.
  engine.match("a", { limt: 1 });
  // @ts-expect-error: a snippet needs all of its arguments.
  engine.match("a", { snippet: { column: 0 } });
  // @ts-expect-error: at most two typing errors are allowed.
  engine.searchSync("a", { typos: 3 });
  // @ts-expect-error: there is no such mode.
  engine.searchSync("a", { mode: "fuzzy" });
  // @ts-expect-error: there is no such type of records.
  await engine.unified.search({ type: "memories" });
  // @ts-expect-error: the query is the first argument.
  await engine.unified.changes("a", { query: "b" });
  // @ts-expect-error: a vector is numbers.
  engine.searchSync("a", { vector: ["1"] });
  // @ts-expect-error: a synchronous search cannot wait for `embed`.
  engine.searchSync("a", { embed: async () => [[1]] });
  // @ts-expect-error: there is no such encoding.
  await build([], { fields: { a: {} }, vectors: { v: { encoding: "i4" } } });
  // @ts-expect-error: search returns a promise.
  engine.search("a").hits;
  // @ts-expect-error: hits are read-only.
  engine.searchSync("a").hits[0]!.score = 1;
  // @ts-expect-error: lists of hits are read-only.
  engine.searchSync("a").hits.push();
  // @ts-expect-error: there is no such mode.
  await engine.rag.search({ query: "a", mode: "fuzzy" });
  // @ts-expect-error: a source has a body.
  await engine.rag.index([{ sourceType: "note", sourceId: 1 }]);
  // @ts-expect-error: a store needs `open`.
  await persist("notes", { in: "opfs" });
  // @ts-expect-error: there is no such place.
  await persist("notes", { open, in: "cloud" });
  // @ts-expect-error: there is no such code.
  const code: ErrorCode = "query/whatever";
  void code;
}
