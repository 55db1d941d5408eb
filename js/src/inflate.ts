// DEFLATE (RFC 1951) undone, for the modules that come as scripts: not every runtime has a `DecompressionStream`. What is
// unpacked here was packed by js/build.mjs, so nothing is checked; WebAssembly checks what comes of it.

/** A prefix code: for every value of the next `bits`, the symbol that they begin with, and in the low bits its length. */
interface Code {
  readonly bits: number;
  readonly table: Uint16Array;
}

/** A symbol of a length or a distance stands for the numbers from a first one on; the bits after it say which. */
interface Numbers {
  readonly first: readonly number[];
  readonly extra: readonly number[];
}

const SYMBOL_SHIFT = 4;
const END = 256;
/** In which order the lengths of the code come that the other codes' lengths are written in. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LENGTHS = numbers(3, 28, (symbol) => Math.max(0, (symbol >> 2) - 1));
const DISTANCES = numbers(1, 30, (symbol) => Math.max(0, (symbol >> 1) - 1));

function numbers(first: number, count: number, extraOf: (symbol: number) => number): Numbers {
  const extra = Array.from({ length: count }, (_, symbol) => extraOf(symbol));
  let next = first;
  return { first: extra.map((bits) => (next += 1 << bits) - (1 << bits)), extra };
}

/** The bytes that a text of base64 has, packed. */
export function unpacked(base64: string, length: number): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  return inflated(packed, length);
}

/** What DEFLATE made these bytes of, `length` bytes. */
export function inflated(packed: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let end = 0;
  let at = 0;
  let held = 0;
  let count = 0;

  /** The next bits, which stay. */
  const peek = (bits: number): number => {
    for (; count < bits; count += 8) held |= packed[at++]! << count;
    return held & ((1 << bits) - 1);
  };
  const take = (bits: number): number => {
    const value = peek(bits);
    held >>>= bits;
    count -= bits;
    return value;
  };
  const symbol = ({ bits, table }: Code): number => {
    const entry = table[peek(bits)]!;
    take(entry & ((1 << SYMBOL_SHIFT) - 1));
    return entry >> SYMBOL_SHIFT;
  };
  const number = ({ first, extra }: Numbers, place: number): number => first[place]! + take(extra[place]!);

  const stored = (): void => {
    take(count & 7);
    const size = take(16);
    take(16);
    at -= count >> 3;
    held = count = 0;
    bytes.set(packed.subarray(at, at + size), end);
    at += size;
    end += size;
  };
  const coded = ([literals, distances]: readonly [Code, Code]): void => {
    for (let found; (found = symbol(literals)) !== END; ) {
      if (found < END) bytes[end++] = found;
      else {
        // The last symbol is the longest length, without further bits.
        const stop = end + (found === 285 ? 258 : number(LENGTHS, found - 257));
        const distance = number(DISTANCES, symbol(distances));
        for (; end < stop; end++) bytes[end] = bytes[end - distance]!;
      }
    }
  };
  const ownCodes = (): readonly [Code, Code] => {
    const literals = take(5) + 257;
    const all = literals + take(5) + 1;
    const given = take(4) + 4;
    const order = new Uint8Array(ORDER.length);
    for (const place of ORDER.slice(0, given)) order[place] = take(3);
    const code = codeOf(order);
    const lengths: number[] = [];
    while (lengths.length < all) {
      const found = symbol(code);
      if (found < 16) lengths.push(found);
      else {
        const repeated = found === 16 ? lengths.at(-1)! : 0;
        const times = found === 16 ? 3 + take(2) : found === 17 ? 3 + take(3) : 11 + take(7);
        for (let i = 0; i < times; i++) lengths.push(repeated);
      }
    }
    return [codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals))];
  };

  for (let isLast = 0; !isLast; ) {
    isLast = take(1);
    const kind = take(2);
    if (kind === 0) stored();
    else coded(kind === 1 ? fixedCodes() : ownCodes());
  }
  return bytes;
}

function fixedCodes(): readonly [Code, Code] {
  const literals = Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8));
  return [codeOf(literals), codeOf(Array.from({ length: 30 }, () => 5))];
}

/** The code in which symbols have these lengths; 0 where there is no such symbol. */
function codeOf(lengths: ArrayLike<number>): Code {
  const all = Array.from(lengths);
  const bits = Math.max(...all);
  const table = new Uint16Array(1 << bits);
  let next = 0;
  for (let length = 1; length <= bits; length++, next <<= 1) {
    all.forEach((own, symbol) => {
      if (own !== length) return;
      // Codes are read from their highest bit on, all else from the lowest.
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= ((next >> bit) & 1) << (length - 1 - bit);
      for (let place = reversed; place < table.length; place += 1 << length) table[place] = (symbol << SYMBOL_SHIFT) | length;
      next += 1;
    });
  }
  return { bits, table };
}
