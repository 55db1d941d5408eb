import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { inflated } from "../../target/js/inflate.js";
import { bytes } from "../../pkg/snapseek-inline.js";

const read = async (name) => new Uint8Array(await readFile(new URL(`../../pkg/${name}`, import.meta.url)));

/** Numbers that are the same in every run. */
function* random(seed) {
  for (let state = seed; ; yield state >>> 24) state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
}
const noise = (length) => Uint8Array.from(random(7).take?.(length) ?? take(random(7), length));
function take(numbers, length) {
  return Array.from({ length }, () => numbers.next().value);
}

describe("inflate", () => {
  const texts = {
    nothing: new Uint8Array(),
    "one byte": Uint8Array.of(7),
    "a long run": new Uint8Array(100_000).fill(65),
    noise: noise(70_000),
    words: new TextEncoder().encode(Array.from({ length: 9_000 }, (_, i) => `word${(i * i) % 997}`).join(" ")),
    "what is far apart": Uint8Array.from([...noise(32_768), ...noise(32_768)]),
  };
  for (const [name, text] of Object.entries(texts)) {
    it(`undoes what zlib does with ${name}, at every level and by every strategy`, () => {
      for (let level = 0; level <= 9; level++) {
        for (const strategy of [constants.Z_DEFAULT_STRATEGY, constants.Z_HUFFMAN_ONLY, constants.Z_RLE, constants.Z_FIXED]) {
          const packed = deflateRawSync(text, { level, strategy });
          assert.deepEqual(inflated(packed, text.length), text, `level ${level}, strategy ${strategy}`);
        }
      }
    });
  }

  it("gives the module that comes as a script, to the byte", async () => {
    assert.deepEqual(bytes(), await read("snapseek.wasm"));
  });
});
