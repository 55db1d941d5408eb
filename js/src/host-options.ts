// Checks the options of `open`, `build` and similar calls. The module never sees these options, so they are checked here, with
// the same messages: one error for all faults.

import { SnapseekError } from "./errors.js";
import { formatZodError } from "./primitives.js";

/** The form of an option: how messages call it, and whether a value has it. */
export interface OptionForm {
  readonly wanted: string;
  readonly fits: (value: unknown) => boolean;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Forms that several calls share. */
export const forms = {
  anything: { wanted: "a value", fits: (value) => value !== null },
  boolean: { wanted: "true or false", fits: (value) => typeof value === "boolean" },
  id: { wanted: "an id (a string or an integer)", fits: (value) => typeof value === "string" || Number.isInteger(value) },
  string: { wanted: "a string", fits: (value) => typeof value === "string" },
  function: { wanted: "a function", fits: (value) => typeof value === "function" },
  object: { wanted: "an object", fits: (value) => isObject(value) && !Array.isArray(value) && !(value instanceof Date) },
  signal: { wanted: "an AbortSignal", fits: (value) => isObject(value) && "aborted" in value && "addEventListener" in value },
} as const satisfies Record<string, OptionForm>;

/** An integer within a range. */
export function count(least: number, most: number): OptionForm {
  return {
    wanted: `an integer from ${least} to ${most}`,
    fits: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

/** A number within a range. */
export function within(least: number, most: number): OptionForm {
  return {
    wanted: `a number from ${least} to ${most}`,
    fits: (value) => typeof value === "number" && value >= least && value <= most,
  };
}

/** One of some words. */
export function oneOf(...words: readonly string[]): OptionForm {
  return { wanted: `one of ${words.join(", ")}`, fits: (value) => words.includes(value as string) };
}

/**
 * Checks options, and throws one error for all faults. `undefined` stands for an absent option, and absent options are fine.
 *
 * @internal
 */
export function checkOptions(options: unknown, known: { readonly [name: string]: OptionForm }): void {
  if (options === undefined) return;
  if (!forms.object.fits(options)) {
    throw new SnapseekError("option/invalid", `(root): must be an object, not ${kindOf(options)}`);
  }
  const entries = Object.entries(options as object).filter(([, value]) => value !== undefined);
  const faulty = entries.filter(([name, value]) => Object.hasOwn(known, name) && !known[name]!.fits(value));
  const unknown = entries.filter(([name]) => !Object.hasOwn(known, name));
  if (faulty.length + unknown.length === 0) return;
  const issues = [
    ...faulty.map(([name, value]) => ({ path: [name], message: faultOf(known[name]!, value) })),
    ...unknown.map(([name]) => ({ path: [name], message: `unknown option; the options are ${Object.keys(known).sort().join(", ")}` })),
  ];
  throw new SnapseekError(`option/${faulty[0]?.[0] ?? "unknown"}`, formatZodError({ issues }));
}

/**
 * Checks the arguments of a call by their names; those that are required must not be `undefined`.
 *
 * @internal
 */
export function checkArguments(
  given: object,
  known: { readonly [name: string]: OptionForm },
  required: readonly string[] = [],
): void {
  // `checkOptions` accepts absent options, so a missing argument becomes `null`.
  const entries = Object.entries(given).map(([name, value]) => [name, value === undefined && required.includes(name) ? null : value]);
  checkOptions(Object.fromEntries(entries), known);
}

function faultOf({ wanted }: OptionForm, value: unknown): string {
  return value === null ? "must not be null" : `must be ${wanted}, not ${kindOf(value)}`;
}

/** Names the kind of a value in a message. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number") return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : "a date";
  if (typeof value === "string") return `"${value}"`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
