// What must compile, and, under each `@ts-expect-error`, what must not.

import { SnapseekError, build, formatZodError, normaliseRrfScores, open, recencyBoost, reciprocalRankFusion } from "../../../pkg/node.js";
import * as web from "../../../pkg/web.js";
import type { Embed, Engine, ErrorCode, Filter, Hit, MatchRow, RecordInput, Schema, SearchResponse } from "../../../pkg/node.js";

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
  engine.remove(["a", 1, { id: "a", kind: "note" }]);
  built.apply(engine.changes());
  await open(engine.snapshot());
  const fusedIds: Map<string, number> = normaliseRrfScores(reciprocalRankFusion(["a"], [{ id: "b" }], 10));
  const boost: number = recencyBoost("2026-01-01", new Date(), 0.1);
  const told: string = formatZodError({ issues: [{ path: ["limit", 0], message: "too large" }] });
  void [fusedIds, boost, told];
  void [snippet, total, marks, engine.suggest("a")[0]?.word, engine.add(notes).added, engine.record(1)?.["title"]];
}

export function whatIsThrown(thrown: unknown, expression: string): string | undefined {
  if (!(thrown instanceof SnapseekError)) return undefined;
  const code: ErrorCode = thrown.code;
  if (code === "query/syntax" || code === "option/limit") return thrown.remedy;
  return thrown.span && expression.slice(...thrown.span);
}

export async function whatDoesNotCompile(engine: Engine): Promise<void> {
  // @ts-expect-error: an engine comes from open or build.
  new (engine.constructor as typeof Engine)();
  // @ts-expect-error: a number is no source.
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
  // @ts-expect-error: at most two.
  engine.searchSync("a", { typos: 3 });
  // @ts-expect-error: there is no such mode.
  engine.searchSync("a", { mode: "fuzzy" });
  // @ts-expect-error: a vector is numbers.
  engine.searchSync("a", { vector: ["1"] });
  // @ts-expect-error: what is awaited cannot be asked at once.
  engine.searchSync("a", { embed: async () => [[1]] });
  // @ts-expect-error: there is no such encoding.
  await build([], { fields: { a: {} }, vectors: { v: { encoding: "i4" } } });
  // @ts-expect-error: search gives a promise.
  engine.search("a").hits;
  // @ts-expect-error: results cannot be changed.
  engine.searchSync("a").hits[0]!.score = 1;
  // @ts-expect-error: nor can their lists.
  engine.searchSync("a").hits.push();
  // @ts-expect-error: there is no such code.
  const code: ErrorCode = "query/whatever";
  void code;
}
