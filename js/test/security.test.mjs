// Records, schemas and queries may be hostile: none of them may affect anything but the response.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { build } from "../../pkg/node.js";

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

/** Makes an object whose keys, even `__proto__`, are its own properties, as JSON.parse does. */
const own = (entries) => JSON.parse(`{${entries.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(", ")}}`);
const pristine = Object.getOwnPropertyNames(Object.prototype).sort();

function assertOwn(object, names) {
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  for (const name of names) assert.ok(Object.hasOwn(object, name), `${name} is not its own`);
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype).sort(), pristine);
  assert.equal({}.polluted, undefined);
}

describe("names like __proto__ are ordinary names", () => {
  it("in records", async () => {
    const record = own([["id", "a"], ["title", "fox"], ...NAMES.map((name) => [name, { polluted: name }])]);
    for (const records of [[record], JSON.stringify(record)]) {
      const engine = await build(records, { fields: { title: {} } });
      assertOwn(engine.record("a"), NAMES);
      assertOwn(engine.searchSync("fox", { records: true }).hits[0].record, NAMES);
      assert.equal(JSON.stringify(engine.record("a")), JSON.stringify(record));
      engine.free();
    }
  });

  it("in schemas, filters, weights, facets and highlights", async () => {
    const schema = {
      fields: own(NAMES.map((name) => [name, {}])),
      attributes: own(NAMES.map((name) => [`a_${name}`, "keyword"])),
    };
    const record = own([["id", "a"], ...NAMES.flatMap((name) => [[name, `fox <b>${name}</b>`], [`a_${name}`, "x"]])]);
    const engine = await build([record], schema);
    assertOwn(engine.schema().fields, NAMES);
    const { hits, facets } = engine.searchSync("fox", {
      highlight: NAMES,
      weights: own(NAMES.map((name) => [name, 2])),
      facets: NAMES.map((name) => `a_${name}`),
      filter: own(NAMES.map((name) => [`a_${name}`, "x"])),
    });
    assertOwn(hits[0].highlights, NAMES);
    assert.equal(hits[0].highlights["__proto__"], "<mark>fox</mark> &lt;b&gt;__proto__&lt;/b&gt;");
    assert.deepEqual(facets.map(({ values }) => values), NAMES.map(() => [{ value: "x", count: 1 }]));
    engine.free();
  });

  it("in unknown filters and weights", async () => {
    const engine = await build([{ id: "a", title: "fox", size: 1 }]);
    for (const name of NAMES) {
      assert.throws(() => engine.searchSync("fox", { filter: own([[name, "x"]]) }), { code: "filter/unknown-attribute" });
      assert.throws(() => engine.searchSync("fox", { weights: own([[name, 1]]) }), { code: "option/weights" });
    }
    engine.free();
  });

  it("in vectors of records", async () => {
    const record = own([["id", "a"], ["title", "fox"], ["__proto__", { polluted: 1 }]]);
    const engine = await build([Object.assign(record, { v: new Float32Array([1, 0]) })], { fields: { title: {} }, vectors: { v: { field: "v" } } });
    assertOwn(engine.record("a"), ["__proto__"]);
    engine.free();
  });
});

describe("the text of records in snippets and highlights", () => {
  const hostile = `<img src=x onerror="alert('fox')"> & <script>fox()</script>`;
  const escaped = (text) => text.replace(/<\/?mark>/g, "");

  it("is escaped by default, but the markers are not", async () => {
    const engine = await build([{ id: "a", title: hostile }]);
    const [{ snippet, highlights }] = engine.searchSync("fox", { highlight: ["title"] }).hits;
    for (const html of [snippet, highlights.title]) {
      assert.match(html, /<mark>fox<\/mark>/);
      assert.doesNotMatch(escaped(html), /[<>"']/);
      assert.doesNotMatch(escaped(html), /&(?!(amp|lt|gt|quot|#39|#x27);)/);
    }
    engine.free();
  });

  it("is unchanged with `raw: true`", async () => {
    const engine = await build([{ id: "a", title: hostile }]);
    const [{ highlights }] = engine.searchSync("fox", { highlight: ["title"], snippet: { raw: true, open: "", close: "" } }).hits;
    assert.equal(highlights.title, hostile);
    engine.free();
  });
});
