// The types of the vault and of federations: what must compile, and, under each `@ts-expect-error`, what must not.

import { federation, open } from "../../../pkg/node.js";
import { connect } from "../../../pkg/worker.js";
import type { Embed, Federation, StoredRecord, VaultScanResult, VaultUpdated, VaultWeights } from "../../../pkg/node.js";

interface Rule {
  readonly id: string;
  readonly title: string;
}

export async function whatCompiles(embed: Embed, worker: Worker): Promise<void> {
  const { signal } = new AbortController();
  const engine = await open<Rule>("vault.snap", { embed });
  const scan = await engine.vault.search("a", { mode: "scan", limit: 3, strict: true, explain: true, signal, now: new Date() });
  const first: VaultScanResult | undefined = scan.results[0];
  const bm25: number | undefined = first?.explain?.keyword?.bm25;
  const warnings: readonly string[] = scan.warnings;
  const full = await engine.vault.search("a");
  const title: string | undefined = full.results[0]?.entry.title;
  const rule: Rule = { id: "a", title: "b" };
  const { added, ids, elapsed } = await engine.vault.add([rule, { id: 1, tags: ["x"] }], { embed, strict: true, signal });
  await engine.vault.add(rule, { vector: new Float32Array(2), model: "m", now: 0 });
  const updated: VaultUpdated<Rule> = await engine.vault.update("a", { title: "c", why: null });
  const { removed, missing } = await engine.vault.remove(["a", 1], { signal });
  const { validUntil } = await engine.vault.link("a", "b", { relation: "cites", weight: 1, validUntil: null, signal });
  const { unlinked } = await engine.vault.unlink("a", "b", { relation: "cites" });
  const weights: VaultWeights = engine.vault.feedback({ query: "a", entryId: 1, action: "accepted", createdAt: new Date() });
  void [bm25, warnings, title, added, ids, elapsed, updated, removed, missing, validUntil, unlinked, weights];

  const far = await connect(worker).open<Rule>("team.snap");
  const all: Federation<Rule> = federation([{ name: "agent", engine }, { name: "team", engine: far, weight: 0.5 }]);
  const response = await all.search("a", { embed, strict: true, signal });
  const tier: string | undefined = response.results[0]?.tier;
  const entries: readonly Rule[] = (await all.load(["a"], { signal })).entries;
  const learned: VaultWeights = await all.feedback({ query: "a", entryId: "a", action: "failed" }, { signal });
  const n: number | undefined = (await all.weights({ signal }))["team"]?.n;
  const stored: Promise<StoredRecord | undefined> = open("a").then((engine) => engine.vault.load("a").entries[0]);
  void [response.elapsed, tier, entries, learned, n, stored];

  // @ts-expect-error: the federation's own wish for every candidate is no option.
  await engine.vault.search("a", { all: true });
  // @ts-expect-error: the calls for a federation are internal.
  await engine.vault.tier.search("a", {}, {});
  // @ts-expect-error: the id of an entry cannot change.
  await engine.vault.update("a", { id: "b" });
  // @ts-expect-error: an entry has an id.
  await engine.vault.add({ title: "a" });
  // @ts-expect-error: a tier has an engine.
  federation([{ name: "agent" }]);
}
