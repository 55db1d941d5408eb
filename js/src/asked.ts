// Separates the options that JavaScript handles from the options that the module reads.

import { forms } from "./host-options.js";
import { foreign, optionsText } from "./plain.js";
import type { Embed } from "./types.js";

/** The options of a call: those for the module, and those that JavaScript handles. */
export interface Asked {
  /** Options for the module. Those of JavaScript are among them only where they are unusable, so that the module reports them. */
  readonly options: unknown;
  readonly embed: Embed | undefined;
  readonly signal: AbortSignal | undefined;
  readonly vector: Float32Array | undefined;
}

/** The inputs of the module besides the caller's options. */
export interface HostInputs {
  /** The vector of the query, or the vectors of all texts to write, one after the other. */
  readonly made?: Float32Array | undefined;
  /** Whether an `embed` function made them. */
  readonly byEmbed?: boolean | undefined;
  /** The texts to write that `embed` was called with; the vectors of those without a failure stand in the same order. */
  readonly texts?: readonly string[] | undefined;
  /** For each text, why it has no vector. */
  readonly failures?: readonly (string | null)[] | undefined;
}

/**
 * Separates the options of a call.
 *
 * @param embedding The `embed` function of the engine, used if the call has none.
 */
export function askedOf(options: unknown, embedding: Embed | undefined): Asked {
  if (typeof options !== "object" || options === null) {
    return { options, embed: embedding, signal: undefined, vector: undefined };
  }
  const rest: Record<string, unknown> = { ...options };
  const take = <T>(name: string, usable: (value: unknown) => T | undefined): T | undefined => {
    const taken = rest[name] === undefined ? undefined : usable(rest[name]);
    if (taken !== undefined || rest[name] === undefined) delete rest[name];
    return taken;
  };
  const embed = take("embed", (value) => (typeof value === "function" ? (value as Embed) : undefined));
  const signal = take("signal", (value) => (forms.signal.fits(value) ? (value as AbortSignal) : undefined));
  const vector = take("vector", vectorOf);
  return { options: Array.isArray(options) ? options : rest, embed: embed ?? embedding, signal, vector };
}

/** Writes the host's part of a call as JSON text; most calls have none, and need no text. */
export function hostText(host: object): string | undefined {
  return Object.values(host).some((value) => value !== undefined) ? optionsText(host) : undefined;
}

/**
 * Adds positional arguments to the options of a call. An option with the name of a given argument is a fault, which the module
 * reports. Options that are not an object stay as they are, to be reported.
 */
export function joined(args: object, options: unknown): unknown {
  if (options === undefined || options === null) return args;
  if (!isOptions(options)) return options;
  const given = options as Readonly<Record<string, unknown>>;
  const present = Object.entries(args).filter(([, value]) => value !== undefined);
  const once = present.map(([name, value]) => [name, given[name] === undefined ? value : foreign("two values")]);
  return { ...options, ...Object.fromEntries(once) };
}

/** Whether a value can hold options: an object that is no array. */
export function isOptions(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an iterable object. */
export function isList(value: unknown): value is Iterable<object> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** Returns the numbers of an array or typed array; `undefined` for other values or if a number is not finite. */
function vectorOf(value: unknown): Float32Array | undefined {
  const isArray = Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
  if (!isArray) return undefined;
  const numbers = Array.from(value as ArrayLike<unknown>);
  return numbers.every((number) => Number.isFinite(number)) ? Float32Array.from(numbers as number[]) : undefined;
}

/** Runs a call, and adds to its response how many milliseconds it took. */
export async function timed<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const response = await work();
  if (!Array.isArray((response as { warnings?: unknown } | null)?.warnings)) return response;
  return { ...response, elapsed: performance.now() - began };
}

/** Like {@link timed}, for a call that answers at once. */
export function timedSync<T extends object>(work: () => T): T {
  const began = performance.now();
  return { ...work(), elapsed: performance.now() - began };
}

/**
 * Completes the report of clamped numbers. JSON has no infinities, so the module reports `null` for one; the option itself says
 * which it was.
 */
export function withInfinities<T>(response: T, options: unknown): T {
  const { clamped = {} } = Object(response) as { clamped?: { [name: string]: { given: number | null } } };
  for (const [name, clamp] of Object.entries(clamped)) {
    const given = (options as { readonly [name: string]: number | object })[name]!;
    // Options that became JSON before hold a marker, whose text is that of the number.
    clamp.given ??= Number(typeof given === "number" ? given : Object.values(given)[0]);
  }
  return response;
}
