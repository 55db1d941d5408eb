import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { SnapseekError } from "../../pkg/node.js";
import { DAMAGED, build, open } from "./opening.mjs";

const GOLDEN = new URL("../../tests/golden/", import.meta.url);

let snapshot;
let engine;
before(async () => {
  snapshot = new Uint8Array(await readFile(new URL("v2.snap", GOLDEN)));
  engine = await open(snapshot);
});

/** Asserts that a call throws a SnapseekError with this code, and returns the error. */
function thrown(code, call) {
  let error;
  assert.throws(call, (caught) => {
    error = caught;
    return caught instanceof SnapseekError && caught instanceof Error && caught.code === code;
  });
  return error;
}

describe("a faulty expression", () => {
  const cases = [
    ["fox AND", "query/syntax", 'fts5: syntax error near ""', ""],
    ["😀 nix : a", "query/no-such-column", "no such column: nix", "nix"],
    ['é "open', "query/unterminated-string", "unterminated string", '"open'],
    ["NEAR(a b, ten)", "query/expected-integer", 'expected integer, got "ten"', "ten"],
    ["*fox", "query/unknown-special-query", "unknown special query: fox", "*fox"],
    ["(".repeat(300) + "a", "query/stack-overflow", "fts5: parser stack overflow", "("],
  ];
  for (const [expression, code, message, fault] of cases) {
    it(`is ${code}, with its span and a remedy`, () => {
      const error = thrown(code, () => engine.match(expression));
      assert.equal(error.name, "SnapseekError");
      assert.equal(error.message, message);
      assert.equal(expression.slice(...error.span), fault);
      assert.match(error.remedy, /\.$/);
    });
  }

  it("does not exist for search: every string is a query", () => {
    for (const query of ['"', "AND", "NEAR(", "a - b", "*", "\0", "\ud800", "", " ".repeat(1000), "x".repeat(100_000)]) {
      assert.ok(Array.isArray(engine.searchSync(query, { asYouType: true, typos: 2 }).hits));
    }
  });
});

describe("a faulty option", () => {
  const cases = [
    ["option/limit", { limit: 0 }, /1 to 1000/],
    ["option/limit", { limit: 1001 }, /1 to 1000/],
    ["option/limit", { limit: "ten" }, /^limit: must be a number, not a string$/],
    ["option/limit", { limit: null }, /^limit: must not be null$/],
    ["option/limit", { limit: 1.5 }, /^limit: /],
    ["option/offset", { offset: 1e9 }, /100000/],
    ["option/mode", { mode: "psychic" }, /keyword/],
    ["option/typos", { typos: 3 }, /0 to 2/],
    ["option/facets", { facets: ["colour"] }, /colour/],
    ["option/highlight", { highlight: ["colour"] }, /colour/],
    ["option/weights", { weights: { colour: 1 } }, /colour/],
    ["option/unknown", { limt: 1 }, /^limt: unknown option; the options are alpha, /],
    ["option/invalid", "fast", /object/],
    ["filter/unknown-attribute", { filter: { colour: "red" } }, /filter\.colour.*there are topic/],
    ["filter/unknown-operator", { filter: { size: { like: 1 } } }, /filter\.size/],
    ["filter/wrong-type", { filter: { done: "yes" } }, /filter\.done/],
  ];
  for (const [code, options, message] of cases) {
    it(`is ${code} for ${JSON.stringify(options)}`, () => {
      assert.match(thrown(code, () => engine.searchSync("fox", options)).message, message);
    });
  }
});

it("an argument that is also among the options is a fault of that option", async () => {
  const twice = { code: "option/query", message: /^query: must be a string, not two values; limt: unknown option/ };
  assert.throws(() => engine.searchSync("fox", { query: "dog", limt: 1 }), twice);
  await assert.rejects(engine.search("fox", { query: "dog", limt: 1 }), twice);
  assert.throws(() => engine.match("fox", { expression: "dog" }), { code: "option/expression" });
});

it("withDocuments checks its options", async () => {
  await assert.rejects(engine.withDocuments(() => 1, { signal: 7 }), { code: "option/signal" });
  await assert.rejects(engine.withDocuments(() => 1, { sginal: undefined, abort: 1 }), { code: "option/unknown", message: /the options are signal/ });
});

describe("a faulty record", () => {
  const circle = { id: "a" };
  circle.self = circle;
  const cases = [
    ["record/missing-id", [{ id: "a" }, { title: "b" }], /^records\[1\]: /],
    ["record/wrong-type", [{ id: true }], /^records\[0\]: "id"/],
    ["record/wrong-type", [{ id: "a", size: "big" }], /"a".*size.*number/],
    ["record/bad-length", [{ id: "" }], /1 to 1024/],
    ["record/not-text", [{ id: "a", body: {} }], /body/],
    ["record/not-an-object", ["a"], /^records\[0\]: /],
    ["record/not-json", [circle], /^records\[0\]: .*circular/],
    ["record/not-json", [{ id: 1n }], /BigInt/],
    ["record/not-json", [undefined], /^records\[0\]: /],
    ["record/not-json", '{"id": "a"}\nnonsense', /^line 2: /],
    ["record/not-an-array", 7, /array/],
    ["record/not-an-array", null, /array/],
  ];
  for (const [code, records, message] of cases) {
    it(`is ${code} and leaves the engine unchanged (${message.source})`, () => {
      assert.match(thrown(code, () => engine.add(records)).message, message);
      assert.deepEqual(engine.snapshot(), snapshot);
    });
  }
});

describe("a faulty schema", () => {
  const cases = [
    ["schema/no-fields", {}],
    ["schema/invalid", { feilds: {} }],
    ["schema/invalid", 7],
    ["schema/bad-name", { fields: { id: {}, ID: {} } }],
    ["schema/unknown-tokenizer", { fields: { a: {} }, tokenizer: "trigram" }],
    ["schema/bad-tokenizer", { fields: { a: {} }, tokenizer: "unicode61 colour 1" }],
  ];
  for (const [code, schema] of cases) {
    it(`is ${code} for ${JSON.stringify(schema)}`, async () => {
      await assert.rejects(build([], schema), { name: "SnapseekError", code });
    });
  }
});

describe("a faulty source", () => {
  it("may not be a snapshot", async () => {
    await assert.rejects(open(new TextEncoder().encode("<!doctype html><title>App</title>")), {
      code: "snapshot/not-a-snapshot",
      message: /this is an HTML page, not a snapseek snapshot/,
    });
    await assert.rejects(open(new Uint8Array()), { code: "snapshot/not-a-snapshot" });
  });

  it("may be cut short, of a later format, or damaged", async () => {
    await assert.rejects(open(snapshot.subarray(0, -1)), { code: "snapshot/wrong-length" });
    const later = snapshot.slice();
    later[8] += 1;
    await assert.rejects(open(later), { code: "snapshot/unsupported-version", message: /update snapseek/ });
    const damaged = snapshot.slice();
    damaged[damaged.length - 1] ^= 1;
    await assert.rejects(async () => (await open(damaged)).verify(), { code: DAMAGED });
  });

  it("may be missing", async () => {
    await assert.rejects(open("/no/such/file.snap"), { code: "source/failed", message: /ENOENT/ });
    await assert.rejects(open(new Response("no", { status: 404 })), { code: "source/failed", message: /404/ });
    await assert.rejects(open(Promise.reject(new TypeError("fetch failed"))), { code: "source/failed", message: /fetch failed/ });
    await assert.rejects(open({}), { code: "source/unknown" });
    await assert.rejects(open(), { code: "source/unknown" });
  });
});

it("ErrorCode lists every code that the package throws, and no other", async () => {
  const codes = /"((?:query|filter|record|schema|snapshot|changes|documents|source|persist|embed|wasm|engine|worker|call)\/[a-z-]+)"/g;
  const used = new Set();
  for (const folder of ["../../src/wasm/", "../src/"]) {
    const place = new URL(folder, import.meta.url);
    const files = (await readdir(place)).filter((name) => /\.(rs|ts)$/.test(name) && name !== "errors.ts");
    for (const name of files) {
      for (const [, code] of (await readFile(new URL(name, place), "utf8")).matchAll(codes)) used.add(code);
    }
  }
  const errors = await readFile(new URL("../src/errors.ts", import.meta.url), "utf8");
  const [union] = /export type ErrorCode =[\s\S]*?;\n\n/.exec(errors);
  for (const [, code] of errors.replace(union, "").matchAll(codes)) used.add(code);
  const listed = [...union.matchAll(codes)].map(([, code]) => code);
  assert.deepEqual(listed.sort(), [...used].sort());
});

it("changes made with another schema are refused", async () => {
  const other = await build([{ id: "a", text: "x" }]);
  thrown("changes/other-schema", () => engine.apply(other.changes()));
});
