// Random numbers that repeat, nonsense words, and confidence intervals.

/** Returns a generator of numbers from 0 to 1 that depends only on the seed (mulberry32 over a hash of the text). */
export function generatorOf(seed) {
  let state = 0;
  for (const letter of seed) state = (Math.imul(state, 31) + letter.codePointAt(0)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const SYLLABLES = ["zx", "qv", "blor", "pt", "ang", "fri", "gle", "wum", "sna", "xil", "vok", "dra", "mip", "ju", "thra", "kez"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Returns one to four words that mean nothing: of random letters, or of syllables that can be spoken. */
export function gibberish(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const repeat = (least, most, make) => Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, make);
  const letters = () => repeat(4, 9, () => pick(LETTERS)).join("");
  const syllables = () => repeat(2, 4, () => pick(SYLLABLES)).join("");
  return repeat(1, 4, random() < 0.5 ? letters : syllables).join(" ");
}

/** Returns the 95 % interval of the mean, by drawing the numbers 1,000 times with repetition. */
export function interval(numbers, random) {
  const means = Array.from({ length: 1000 }, () => {
    let sum = 0;
    for (let draw = 0; draw < numbers.length; draw++) sum += numbers[Math.floor(random() * numbers.length)];
    return sum / numbers.length;
  });
  means.sort((a, b) => a - b);
  return [means[25], means[974]];
}
