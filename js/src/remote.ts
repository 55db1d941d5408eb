// The page's side of an engine in a worker: a proxy that sends every call to exposed.ts.

import { unlessAborted } from "./abort.js";
import type { DocumentSource } from "./documents.js";
import type { Engine } from "./engine.js";
import { SnapseekError, unread } from "./errors.js";
import type { BuildOptions, OpenOptions } from "./index.js";
import { hear, listen, putTogether, takenApart, type Endpoint, type Outcome, type Place, type ToPage, type ToWorker } from "./message.js";
import { beside, isPlace } from "./place.js";
import { BUDGET, contentOf, type ModelSource, type SnapshotReader, type Source } from "./source.js";
import type { Transfer } from "./transfer.js";
import type { Identified, RecordInput, Schema, StoredRecord, VectorModel } from "./types.js";

/**
 * The same methods, each returning a promise; a property becomes a promise of its value. Every call fetches pieces of the
 * snapshot and documents from other files by itself, so there is no `withDocuments`.
 */
export type Remote<T> = {
  readonly [Name in keyof T as Name extends symbol | "withDocuments" ? never : Name]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : T[Name] extends Transfer
      ? Promise<Transfer>
      : T[Name] extends object
        ? Remote<T[Name]>
        : Promise<T[Name]>;
};

/** An engine in a worker. {@link Engine} documents its calls. */
export type RemoteEngine<R extends object = StoredRecord> = Remote<Engine<R>>;

/** The functions of the package, run in a worker. */
export interface RemotePackage {
  /**
   * Opens a snapshot in the worker. Bytes are transferred, not copied: the given array is empty afterwards.
   *
   * @typeParam R The type of stored records. Nothing checks that they have it.
   */
  open<R extends object = StoredRecord>(source: Source | PromiseLike<Source>, options?: OpenOptions): Promise<RemoteEngine<R>>;
  /**
   * Builds an engine in the worker. Records are copied.
   *
   * @typeParam R The type of stored records.
   */
  build<R extends object = StoredRecord>(
    records: Iterable<RecordInput | Identified> | string,
    schema?: Schema,
    options?: BuildOptions,
  ): Promise<RemoteEngine<R>>;
}

/** A call without a response yet. */
interface Waiting {
  readonly args: readonly unknown[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The properties of an engine that are no methods. */
const VALUES = new Set(["length", "transfer", "warnings"]);

/** The number of the last call. All connections to a worker receive all messages, so they share one sequence of numbers. */
let last = 0;

/** Connects to a worker that calls `expose`. You create the worker, and you terminate it. */
export function connect(worker: Endpoint | Worker): RemotePackage {
  const endpoint = worker as Endpoint;
  const waiting = new Map<number, Waiting>();
  /** The arguments of the call that made each engine: the worker calls their functions as long as the engine lives. */
  const lasting = new Map<number, { readonly id: number; readonly args: readonly unknown[] }>();

  const post = (message: ToWorker, transfer: ArrayBuffer[] = []): void => endpoint.postMessage(message, transfer);

  listen<ToPage>(endpoint, (message) => {
    const call = waiting.get(message.id);
    if (message.snapseek === "calls") {
      const kept = call ?? [...lasting.values()].find(({ id }) => id === message.id);
      if (kept) void callBack(message, kept.args);
      return;
    }
    if (!call) return;
    if ("error" in message.outcome) call.reject(putTogether(message.outcome.error));
    else if ("engine" in message.outcome) {
      lasting.set(message.outcome.engine, { id: message.id, args: call.args });
      call.resolve(remote(message.outcome.engine, []));
    } else call.resolve(message.outcome.value);
  });
  const fail = (event: unknown): void => {
    const { message = "a message could not be read" } = event as { message?: string };
    for (const { reject } of [...waiting.values()]) reject(new SnapseekError("worker/failed", `the worker failed: ${message}`));
  };
  hear(endpoint, "error", fail);
  hear(endpoint, "messageerror", fail);

  async function callBack({ id, call, place: [argument, name], args }: ToPage & { snapseek: "calls" }, given: readonly unknown[]) {
    let outcome: Outcome;
    try {
      const holder = given[argument] as Record<string, (...args: unknown[]) => unknown>;
      outcome = { value: await holder[name]!(...args) };
    } catch (thrown) {
      outcome = { error: takenApart(thrown) };
    }
    post({ snapseek: "returned", id, call, outcome });
  }

  /** Sends a call to the worker. Functions and signals stay here: the worker calls functions by message, and aborts are sent. */
  function ask(path: readonly string[], args: readonly unknown[], engine: number, transfer?: ArrayBuffer[]): Promise<unknown> {
    const functions: Place[] = [];
    const symbols: Place[] = [];
    const signals: Place[] = [];
    const kept: AbortSignal[] = [];
    const sent = args.map((argument, number) => {
      if (isOtherIterable(argument)) return Array.from(argument);
      if (!isPlain(argument)) return argument;
      const entries = Object.entries(argument).filter(([name, value]) => {
        if (typeof value === "function") return void functions.push([number, name]);
        if (typeof value === "symbol") return void symbols.push([number, name]);
        if (!(value instanceof AbortSignal)) return value !== undefined;
        signals.push([number, name]);
        kept.push(value);
        return false;
      });
      return Object.fromEntries(entries);
    });
    return new Promise((resolve, reject) => {
      for (const signal of kept) signal.throwIfAborted();
      const id = ++last;
      const abort = (event: Event): void => {
        post({ snapseek: "abort", id });
        done(reject)((event.target as AbortSignal).reason);
      };
      const done = (settle: (value: unknown) => void) => (value: unknown): void => {
        waiting.delete(id);
        for (const signal of kept) signal.removeEventListener("abort", abort);
        settle(value);
      };
      post({ snapseek: "call", id, engine, path, args: sent, functions, signals, symbols }, transfer);
      for (const signal of kept) signal.addEventListener("abort", abort);
      waiting.set(id, { args, resolve: done(resolve), reject: done(reject) });
    });
  }

  /** Makes a proxy of an object in the worker. Its properties are proxies too, and can be called. */
  function remote(engine: number, path: readonly string[]): unknown {
    return new Proxy(() => {}, {
      get(_, name) {
        // `await` looks for `then` to detect a promise.
        if (typeof name === "symbol" || name === "then") return undefined;
        const isValue = path.length === 0 && VALUES.has(name);
        return isValue ? ask([...path, name], [], engine) : remote(engine, [...path, name]);
      },
      apply: (_, __, args: unknown[]) => {
        if (path[0] === "free") lasting.delete(engine);
        return ask(path, args, engine);
      },
    });
  }

  return {
    async open<R extends object>(source: Source | PromiseLike<Source>, options: OpenOptions = {}) {
      const content = await sendable(source, options);
      const transfer = content instanceof Uint8Array ? [content.buffer as ArrayBuffer] : [];
      try {
        // If the worker gets the address of the snapshot, it finds the documents by itself.
        const docs = sendableDocs(options.docs ?? (typeof content === "string" ? [] : beside(await source)));
        const sent = { ...options, docs, wasm: await options.wasm };
        return (await ask(["open"], [content, sent], 0, transfer)) as RemoteEngine<R>;
      } finally {
        if (typeof content === "object" && "stop" in content) void content.stop().catch(() => {});
      }
    },
    async build<R extends object>(records: Iterable<object> | string, schema?: Schema, options: BuildOptions = {}) {
      const sent = await sendableSchema(schema, options.signal);
      return (await ask(["build"], [records, sent, { ...options, wasm: await options.wasm }], 0)) as RemoteEngine<R>;
    },
  };
}

/** Opens a snapshot in a worker that calls `expose` of `snapseek/worker`. */
export function openInWorker<R extends object = StoredRecord>(
  worker: Endpoint | Worker,
  source: Source | PromiseLike<Source>,
  options?: OpenOptions,
): Promise<RemoteEngine<R>> {
  return connect(worker).open<R>(source, options);
}

/**
 * Turns a source into something to send: a location, bytes to transfer, a blob or reader to read pieces of, or pieces that
 * the worker asks for.
 */
async function sendable(source: Source | PromiseLike<Source>, { signal, load, cache = BUDGET }: OpenOptions) {
  const given = await unlessAborted(Promise.resolve(source), signal);
  if (isPlace(given)) return absolute(given);
  const { read, stream, size } = Object(given) as Partial<Blob & SnapshotReader>;
  // The function becomes a message to the page, as every function in an argument does.
  if (read) return { read: (offset: number, length: number) => (given as SnapshotReader).read(offset, length), size };
  if (stream && (load === "ranges" || (load !== "whole" && size! > cache))) return given as Blob;
  const content = await contentOf(given as Blob).catch(unread("snapshot"));
  const isPart = content instanceof Uint8Array && content.length < content.buffer.byteLength;
  return isPart ? content.slice() : content;
}

/** Resolves a relative URL against the page, because the worker would resolve it against its script. */
function absolute(place: string | URL): string {
  return typeof document === "undefined" ? String(place) : new URL(place, document.baseURI).href;
}

/** Turns the static models of a schema into addresses or bytes. */
async function sendableSchema(schema: Schema | undefined, signal: AbortSignal | undefined): Promise<Schema | undefined> {
  const entries = Object.entries((Object(schema) as Partial<Schema>).vectors ?? {});
  if (!entries.some(([, settings]) => settings.model !== undefined)) return schema;
  const vectors: Record<string, VectorModel> = {};
  for (const [name, settings] of entries) {
    const model = await unlessAborted(Promise.resolve(settings.model), signal);
    vectors[name] = model === undefined ? settings : { ...settings, model: isPlace(model) ? absolute(model) : await wholeOf(model) };
  }
  return { ...schema!, vectors };
}

async function wholeOf(source: Exclude<ModelSource, string | URL>): Promise<Uint8Array> {
  const { whole } = await import("./on-demand.js");
  return contentOf(source).then(whole).catch(unread("static model"));
}

/** Turns the locations of documents into values to send; `undefined` if the worker finds the documents by itself. */
function sendableDocs(docs: NonNullable<OpenOptions["docs"]>): OpenOptions["docs"] {
  if (Array.isArray(docs)) return docs.length > 0 ? docs.flatMap((one: DocumentSource) => sendableDocs(one) ?? []) : undefined;
  return isPlace(docs) ? absolute(docs) : docs;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns whether a value is an iterator, which cannot be sent as a message. */
function isOtherIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && "next" in value && Symbol.iterator in value;
}
