// Writes options as JSON text. Values that JSON cannot hold become markers, so that the module reports them together with all
// other faults.

/** Objects nested deeper than this are reported; a cycle always is. */
const MAX_DEPTH = 64;

/** Half a surrogate pair. */
const SURROGATE = /\p{Surrogate}/u;

/** The key of an object that stands for a value without a JSON form; `src/options/foreign.rs` reads it. */
const FOREIGN = "$snapseek";

/**
 * Writes options as JSON text for the module.
 *
 * `undefined` is left out, a `Date` becomes its ISO string, a typed array an array, and a lone surrogate U+FFFD. NaN,
 * infinities, invalid dates, functions, symbols and bigints become markers that the module reports.
 *
 * @internal
 */
export function optionsText(options: unknown): string {
  return JSON.stringify(isFlat(options) ? options : (plain(options, 0) ?? null));
}

/** Whether these are options of plain strings, numbers and booleans: most are, and need no copy. */
function isFlat(options: unknown): boolean {
  if (typeof options !== "object" || options === null || Object.getPrototypeOf(options) !== Object.prototype) return false;
  for (const name in options) {
    const value: unknown = (options as Record<string, unknown>)[name];
    const isPlain = typeof value === "string" ? !SURROGATE.test(value) : typeof value === "number" ? Number.isFinite(value) : typeof value === "boolean";
    if (!isPlain || SURROGATE.test(name)) return false;
  }
  return true;
}

/** Replaces lone surrogates by U+FFFD. */
export function wellFormed(text: string): string {
  return SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text;
}

function plain(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return wellFormed(value);
    case "number":
      return Number.isFinite(value) ? value : foreign(String(value));
    case "undefined":
    case "boolean":
      return value;
    case "object":
      return value === null ? null : plainObject(value, depth);
    default:
      return foreign(`a ${typeof value}`);
  }
}

function plainObject(value: object, depth: number): unknown {
  if (depth > MAX_DEPTH) return foreign("an object that is nested too deeply");
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? foreign("an invalid date") : value.toISOString();
  try {
    if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON(), depth + 1);
    if (Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value)) {
      return Array.from(value as ArrayLike<unknown>, (item) => plain(item, depth + 1) ?? foreign("undefined"));
    }
    const entries = Object.entries(value).map(([name, inner]) => [wellFormed(name), plain(inner, depth + 1)] as const);
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
  } catch {
    return foreign("an object whose properties cannot be read");
  }
}

/** Makes a marker for a value that the module must report; messages call it `name`. */
export function foreign(name: string): object {
  return { [FOREIGN]: name };
}
