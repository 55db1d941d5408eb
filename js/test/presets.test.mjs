// Builds each preset by its name and searches its sample.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { build } from "./opening.mjs";

const lines = (name) => readFileSync(new URL(`../../samples/${name}.jsonl`, import.meta.url), "utf8").trim().split("\n");
const questions = lines("questions").map((line) => JSON.parse(line));

for (const preset of ["hybrid", "memory", "rag", "unified", "vault"]) {
  describe(`the preset ${preset}`, () => {
    it("answers the questions about its sample", async () => {
      const engine = await build(lines(preset).join("\n"), preset);
      const own = questions.filter((question) => question.preset === preset);
      assert.ok(own.length >= 5);
      for (const { query, options, expect } of own) {
        const first = engine.searchSync(query, options).hits.slice(0, 3).map(({ id }) => id);
        for (const id of expect) assert.ok(first.includes(id), `${query}: ${first}`);
      }
    });

    it("is a schema with a recipe and can be extended", async () => {
      const engine = await build([], preset);
      const schema = engine.schema();
      assert.equal(schema.recipe ?? "hybrid", preset);
      const extended = await build([{ id: 1, owner: "me" }], { ...schema, attributes: { ...schema.attributes, owner: "keyword" } });
      assert.equal(extended.schema().attributes.owner, "keyword");
    });
  });
}

it("the preset docs groups hits by page", async () => {
  const record = (id, url, anchor, text) => ({ id, url, anchor, title: "Foxes", text });
  const records = [record("a", "/a", "x", "fox fox fox"), record("b", "/a", "y", "a fox among many other animals of the forest"), record("c", "/b", "z", "fox and others")];
  const engine = await build(records, "docs");
  const { hits } = await engine.search("fox", { records: true });
  assert.deepEqual(
    hits.map(({ id, children }) => [id, (children ?? []).map((child) => child.record.anchor)]),
    [
      ["a", ["y"]],
      ["c", []],
    ],
  );
  assert.equal(engine.searchSync("fox", { groupBy: false }).hits.length, 3);
});

it("an unknown preset is an error", async () => {
  await assert.rejects(build([], "attic"), { code: "schema/unknown-preset", message: /there are hybrid, memory, rag, unified, vault, docs/ });
});
