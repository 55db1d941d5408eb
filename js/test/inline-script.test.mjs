import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { inlineScript } from "../inline-script.mjs";

/** Returns `length` bytes that do not compress and are the same in every run. */
function noise(length) {
  let state = 7;
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
}

const unpacked = async (script) => (await import(`data:text/javascript,${encodeURIComponent(script)}`)).bytes();

describe("the module as a script", () => {
  const contents = {
    "one byte": Uint8Array.of(7),
    "a long run": new Uint8Array(100_000).fill(65),
    noise: noise(70_000),
    words: new TextEncoder().encode(Array.from({ length: 9_000 }, (_, i) => `word${(i * i) % 997}`).join(" ")),
  };
  for (const [name, bytes] of Object.entries(contents)) {
    it(`unpacks ${name} to the byte`, async () => {
      assert.deepEqual(await unpacked(await inlineScript(bytes, { minify: true })), bytes);
    });
  }

  it("imports nothing and carries the licence of fflate", async () => {
    const script = await inlineScript(Uint8Array.of(1, 2, 3), { minify: true });
    assert.doesNotMatch(script, /\bimport\b|\brequire\b/);
    assert.match(script, /Arjun Barrett[\s\S]*Permission is hereby granted/);
  });

  it("in the package holds snapseek.wasm", async () => {
    const { bytes } = await import("../../pkg/snapseek-inline.js");
    const module = await readFile(new URL("../../pkg/snapseek.wasm", import.meta.url));
    assert.deepEqual(bytes(), new Uint8Array(module));
  });
});
