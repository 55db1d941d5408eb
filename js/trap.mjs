// Makes every panic of a module a trap where it happens: node trap.mjs in.wasm out.wasm
//
// A panic ends in a trap anyway, and nobody hears its message: std writes it to a standard error that the wasm32 target
// does not have. What it would say, and where, was 3 % of the module (13 of 421 kB, brotli). Needs the names of
// functions, so it runs before wasm-opt, which then drops the arguments that nobody takes.

import { readFileSync, writeFileSync } from "node:fs";
import binaryen from "binaryen";

/** Functions that never return, and those that only they call through tables. */
const PANICS = [
  /^core.*::panicking::(panic|assert_failed|unreachable_display)/,
  /^core.*::(slice_error_fail|slice_index_fail|len_mismatch_fail|unwrap_failed|expect_failed)$/,
  /^core.*::(panic_already_borrowed|panic_already_mutably_borrowed|panic_on_ord_violation)$/,
  /^<?alloc.*::(assert_failed|handle_error|capacity_overflow|handle_alloc_error)$/,
  /^std.*::panic_access_error$/,
  /::rust_begin_unwind$/,
  // Messages for users never have the debugging form of anything, so only panics ask for it: tests/architecture.rs holds
  // that.
  /^<.* as core.*::fmt::Debug>::fmt/,
  /^<?core.*::fmt::builders::/,
];
/** Without these the names are not what they were, and the list has to be looked at. */
const EXPECTED = ["panicking::panic_fmt", "panicking::panic_bounds_check", "option::unwrap_failed"];

const [, , input, output] = process.argv;
const bytes = readFileSync(input);
blankLocations(bytes);
const module = binaryen.readBinary(bytes);
const trapped = [];
for (let i = 0; i < module.getNumFunctions(); i++) {
  const reference = module.getFunctionByIndex(i);
  const { name, module: importedFrom } = binaryen.getFunctionInfo(reference);
  if (importedFrom === "" && PANICS.some((panic) => panic.test(name))) {
    binaryen.Function(reference).body = module.unreachable();
    trapped.push(name);
  }
}
const missing = EXPECTED.filter((end) => !trapped.some((name) => name.endsWith(end)));
if (missing.length > 0) {
  console.error(`trap: ${input} has no function named ${missing.join(", ")}`);
  process.exit(1);
}
binaryen.setDebugInfo(true);
writeFileSync(output, module.emitBinary());

/** Overwrites with zeros where each panic is in the sources, and the names of the sources: only panics look there. */
function blankLocations(bytes) {
  const segments = dataSegments(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = (address, len) => {
    const segment = segments.find(({ from, to }) => from <= address && address + len <= to);
    return segment && segment.start + address - segment.from;
  };
  const found = [];
  for (const { from, to } of segments) {
    for (let address = Math.ceil(from / 4) * 4; address + 16 <= to; address += 4) {
      // The address and the length of the name, line, column.
      const location = at(address, 16);
      const len = view.getUint32(location + 4, true);
      const name = at(view.getUint32(location, true), len);
      if (len > 3 && name !== undefined && bytes.toString("latin1", name + len - 3, name + len) === ".rs") {
        found.push([location, 16], [name, len]);
      }
    }
  }
  for (const [start, len] of found) bytes.fill(0, start, start + len);
}

/** The active segments: the addresses that each fills, and where its bytes start in the file. */
function dataSegments(bytes) {
  const DATA = 11;
  const I32_CONST = 0x41;
  let at = 8;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  while (at < bytes.length) {
    const kind = bytes[at++];
    const len = varint();
    if (kind !== DATA) {
      at += len;
      continue;
    }
    return Array.from({ length: varint() }, () => {
      if (varint() !== 0 || bytes[at++] !== I32_CONST) throw new Error("trap: a segment without a fixed address");
      const from = varint();
      at++; // The end of the expression.
      const len = varint();
      const start = at;
      at += len;
      return { from, to: from + len, start };
    });
  }
  return [];
}
