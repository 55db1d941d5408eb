// The exponential function, the same on every machine. Engines differ in the last bit of `Math.exp`; this is the algorithm of
// fdlibm, operation by operation, as Rust's libm has it.

/** Beyond these, the result is infinite, or 0. */
const [OVERFLOW, UNDERFLOW] = [709.782712893383973096, -745.13321910194110842] as const;

/** The upper words of 2⁻²⁸, of ½ ln 2 and of 1.5 ln 2, between which the reduction of the argument differs. */
const [TINY, HALF_LN2, MORE_LN2] = [0x3e300000, 0x3fd62e42, 0x3ff0a2b2] as const;

/** ln 2 in two parts: a multiple of the first is exact. */
const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;
const INVERSE_LN2 = 1.442695040888963387;

/** The polynomial in r² that approximates r · (eʳ + 1) / (eʳ − 1) − 2. */
const [P1, P2, P3, P4, P5] = [
  1.66666666666666019037e-1, -2.77777777770155933842e-3, 6.61375632143793436117e-5, -1.6533902205465251539e-6,
  4.13813679705723846039e-8,
] as const;

/** Returns e to the power of `x`. */
export function exponential(x: number): number {
  if (x > OVERFLOW) return Infinity;
  if (x < UNDERFLOW) return 0;
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, x);
  const size = bytes.getUint32(0) & 0x7fffffff;
  if (Number.isNaN(x) || size <= TINY) return 1 + x;
  // x = exponent · ln 2 + r
  let exponent = 0;
  if (size >= MORE_LN2) exponent = Math.trunc(INVERSE_LN2 * x + (x < 0 ? -0.5 : 0.5));
  else if (size > HALF_LN2) exponent = x < 0 ? -1 : 1;
  const high = x - exponent * LN2_HIGH;
  const low = exponent * LN2_LOW;
  const r = high - low;
  const z = r * r;
  const c = r - z * (P1 + z * (P2 + z * (P3 + z * (P4 + z * P5))));
  return scaled(1 + ((r * c) / (2 - c) - low + high), exponent);
}

/** Multiplies by a power of 2. A subnormal result is rounded once. */
function scaled(y: number, exponent: number): number {
  if (exponent < -1022) return y * powerOfTwo(-969) * powerOfTwo(exponent + 969);
  return exponent > 1023 ? y * powerOfTwo(1023) * powerOfTwo(exponent - 1023) : y * powerOfTwo(exponent);
}

function powerOfTwo(exponent: number): number {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, (exponent + 1023) << 20);
  return bytes.getFloat64(0);
}
