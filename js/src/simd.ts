/** A module with one function that computes 3 · 5 + 3 · 5 with SIMD. */
const COMPUTES_WITH_SIMD = [
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7f],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
  // i32x4.dot_i16x8_s (i16x8.splat 3) (i16x8.splat 5), its third lane
  ...[0x0a, 0x12, 0x01, 0x10, 0x00, 0x41, 0x03, 0xfd, 0x10, 0x41, 0x05, 0xfd, 0x10, 0xfd, 0xba, 0x01, 0xfd, 0x1b, 0x02, 0x0b],
];

/**
 * Returns whether WebAssembly has working SIMD here. Without it, the plain module gives the same answers more slowly.
 *
 * The test runs a computation, because some browsers compiled such modules and computed wrong results.
 */
export function hasSimd(): boolean {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(COMPUTES_WITH_SIMD)));
    return (exports["f"] as () => number)() === 30;
  } catch {
    return false;
  }
}
