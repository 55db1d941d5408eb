// The messages between a page and its worker.

import { SnapseekError, reasonOf, type ErrorCode } from "./errors.js";

/** One end of a connection: a `Worker`, its global scope, or a `MessagePort`; in Node a `Worker` or `parentPort`. */
export interface Endpoint {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener?(type: string, listener: (event: Event) => void): void;
  on?(type: string, listener: (value: unknown) => void): unknown;
}

/** A property of an argument: the number of the argument, and the name of the property. */
export type Place = readonly [argument: number, name: string];

/** From the page to the worker. */
export type ToWorker =
  | {
      readonly snapseek: "call";
      readonly id: number;
      /** The number of the engine; 0 for `open` and `build`. */
      readonly engine: number;
      /** The path to the method, such as `["memory", "search"]`. */
      readonly path: readonly string[];
      readonly args: unknown[];
      /** The properties that were functions. They stay on the page, and the worker calls them by message. */
      readonly functions: readonly Place[];
      /** The properties that were signals. */
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

/** The outcome of a call. */
export type Outcome =
  | { readonly value: unknown }
  /** The number of a new engine. */
  | { readonly engine: number }
  | { readonly error: ErrorParts };

/** An error as a plain object, because messages do not keep the class of an error. */
interface ErrorParts {
  readonly name: string;
  readonly message: string;
  readonly cause?: string;
  readonly code?: ErrorCode;
  readonly span?: readonly [number, number];
  readonly remedy?: string;
}

/** Listens to snapseek's own messages, and ignores all others. */
export function listen<Message extends ToWorker | ToPage>(endpoint: Endpoint, heard: (message: Message) => void): void {
  hear(endpoint, "message", (message) => {
    if ("snapseek" in Object(message)) heard(message as Message);
  });
}

/** Listens to events. The listener gets the data of a message, or the event itself. */
export function hear(endpoint: Endpoint, type: string, listener: (value: unknown) => void): void {
  if (endpoint.on) endpoint.on(type, listener);
  else endpoint.addEventListener!(type, (event) => listener(type === "message" ? (event as MessageEvent).data : event));
}

/** Turns an error into a plain object. */
export function takenApart(thrown: unknown): ErrorParts {
  const { name = "Error", cause } = Object(thrown) as Partial<Error>;
  const own = thrown instanceof SnapseekError ? thrown : {};
  return { ...own, name, message: reasonOf(thrown), ...(cause !== undefined && { cause: reasonOf(cause) }) };
}

/** Returns the value of an outcome, or throws its error. */
export function valueOf(outcome: Outcome): unknown {
  if ("error" in outcome) throw putTogether(outcome.error);
  return (outcome as { value?: unknown }).value;
}

/** Turns a plain object back into an error. */
export function putTogether({ name, message, cause, code, ...more }: ErrorParts): Error {
  const reason = cause === undefined ? {} : { cause: new Error(cause) };
  if (code) return new SnapseekError(code, message, { ...more, ...reason });
  return Object.assign(new Error(message, reason), { name });
}
