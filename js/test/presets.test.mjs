// Builds each preset by its name and searches its sample.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { build } from "../../pkg/node.js";

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

it("an unknown preset is an error", async () => {
  await assert.rejects(build([], "attic"), { code: "schema/unknown-preset", message: /there are hybrid, memory, rag, unified, vault/ });
});
