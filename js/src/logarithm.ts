// Computes the natural logarithm with the same bits on every machine. JavaScript engines differ in the last bit of `Math.log`,
// so this follows fdlibm operation by operation, as Rust's libm does.

/** The upper words of √½, the lower end of the reduced range, and of 1. */
const SQRT_HALF = 0x3fe6a09e;
const ONE = 0x3ff00000;

/** ln 2 in two parts. Multiples of the first by an exponent are exact. */
const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;

/** The coefficients of the polynomial in s² that approximates ln(1 + f), with s = f / (2 + f). */
const [A1, A2, A3, A4, A5, A6, A7] = [
  6.66666666666673513e-1, 3.999999999940941908e-1, 2.857142874366239149e-1, 2.222219843214978396e-1,
  1.818357216161805012e-1, 1.531383769920937332e-1, 1.479819860511658591e-1,
] as const;

/** Returns the natural logarithm of a number that is at least 1. */
export function logarithm(x: number): number {
  if (x === 1) return 0;
  if (!(x < Infinity)) return x;
  // The first four bytes hold the exponent and the upper part of the mantissa.
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, x);
  const shifted = bytes.getUint32(0) + (ONE - SQRT_HALF);
  const exponent = (shifted >>> 20) - 1023;
  bytes.setUint32(0, (shifted & 0xfffff) + SQRT_HALF);
  const f = bytes.getFloat64(0) - 1;
  const half = 0.5 * f * f;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (A2 + w * (A4 + w * A6));
  const odd = z * (A1 + w * (A3 + w * (A5 + w * A7)));
  return s * (half + (odd + even)) + exponent * LN2_LOW - half + f + exponent * LN2_HIGH;
}
