// What a page and its worker say to each other.

import { SnapseekError, reasonOf, type ErrorCode } from "./errors.js";

/** What can be spoken through: a `Worker`, its global scope, a `MessagePort`; in Node a `Worker` or `parentPort`. */
export interface Endpoint {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener?(type: string, listener: (event: Event) => void): void;
  on?(type: string, listener: (value: unknown) => void): unknown;
}

/** A place among the arguments: the number of the argument, and the name of a property of it. */
export type Place = readonly [argument: number, name: string];

/** From the page to the worker. */
export type ToWorker =
  | {
      readonly snapseek: "call";
      readonly id: number;
      /** The engine; 0 for `open` and `build`. */
      readonly engine: number;
      /** The method's name, behind the names of the objects that it is in. */
      readonly path: readonly string[];
      readonly args: unknown[];
      /** Where there was a function; it stays with the page and is called back. */
      readonly functions: readonly Place[];
      /** Where there was a signal. */
      readonly signals: readonly Place[];
      /** Where there was a symbol, which cannot be sent; the worker puts one there for the module to report. */
      readonly symbols: readonly Place[];
    }
  | { readonly snapseek: "abort"; readonly id: number }
  | { readonly snapseek: "returned"; readonly id: number; readonly call: number; readonly outcome: Outcome };

/** From the worker to the page. */
export type ToPage =
  | { readonly snapseek: "done"; readonly id: number; readonly outcome: Outcome }
  | { readonly snapseek: "calls"; readonly id: number; readonly call: number; readonly place: Place; readonly args: unknown[] };

/** How a call ended. */
export type Outcome =
  | { readonly value: unknown }
  /** A new engine, by its number. */
  | { readonly engine: number }
  | { readonly error: ErrorParts };

/** An error without its class, which does not survive the way. */
interface ErrorParts {
  readonly name: string;
  readonly message: string;
  readonly cause?: string;
  readonly code?: ErrorCode;
  readonly span?: readonly [number, number];
  readonly remedy?: string;
}

/** Hears the messages that are ours. */
export function listen<Message extends ToWorker | ToPage>(endpoint: Endpoint, heard: (message: Message) => void): void {
  hear(endpoint, "message", (message) => {
    if ("snapseek" in Object(message)) heard(message as Message);
  });
}

/** Hears events, with their data where they have some. */
export function hear(endpoint: Endpoint, type: string, listener: (value: unknown) => void): void {
  if (endpoint.on) endpoint.on(type, listener);
  else endpoint.addEventListener!(type, (event) => listener(type === "message" ? (event as MessageEvent).data : event));
}

/** An error, taken apart for the way. */
export function takenApart(thrown: unknown): ErrorParts {
  const { name = "Error", cause } = Object(thrown) as Partial<Error>;
  const own = thrown instanceof SnapseekError ? thrown : {};
  return { ...own, name, message: reasonOf(thrown), ...(cause !== undefined && { cause: reasonOf(cause) }) };
}

/** What a call gave, or what it threw. */
export function valueOf(outcome: Outcome): unknown {
  if ("error" in outcome) throw putTogether(outcome.error);
  return (outcome as { value?: unknown }).value;
}

/** The error that was taken apart. */
export function putTogether({ name, message, cause, code, ...more }: ErrorParts): Error {
  const reason = cause === undefined ? {} : { cause: new Error(cause) };
  if (code) return new SnapseekError(code, message, { ...more, ...reason });
  return Object.assign(new Error(message, reason), { name });
}
