// The same engine, in a worker: what the worker does.

import { Engine } from "./engine.js";
import { SnapseekError } from "./errors.js";
import type { Package } from "./index.js";
import { listen, putTogether, takenApart, type Endpoint, type Outcome, type Place, type ToPage, type ToWorker } from "./message.js";

type Call = ToWorker & { snapseek: "call" };

/** Lets a page open and use engines here. */
export function exposed(endpoint: Endpoint, { open, build }: Pick<Package, "open" | "build">): void {
  const engines = new Map<number, Engine>();
  const running = new Map<number, { readonly abort: AbortController; readonly returns: Map<number, (outcome: Outcome) => void> }>();
  let lastEngine = 0;

  const post = (message: ToPage, transfer: ArrayBuffer[] = []): void => endpoint.postMessage(message, transfer);

  listen<ToWorker>(endpoint, (message) => {
    if (message.snapseek === "call") void run(message);
    else if (message.snapseek === "abort") running.get(message.id)?.abort.abort();
    else running.get(message.id)?.returns.get(message.call)?.(message.outcome);
  });

  async function run(call: Call): Promise<void> {
    const { id, functions, signals, args } = call;
    const abort = new AbortController();
    const returns = new Map<number, (outcome: Outcome) => void>();
    running.set(id, { abort, returns });
    for (const place of functions) set(args, place, calledBack(id, place, returns));
    for (const place of signals) set(args, place, abort.signal);
    try {
      // An abort that is already here is heard first.
      if (signals.length > 0) await new Promise((resolve) => setTimeout(resolve));
      abort.signal.throwIfAborted();
      answer(id, await result(call));
    } catch (thrown) {
      post({ snapseek: "done", id, outcome: { error: takenApart(thrown) } });
    } finally {
      running.delete(id);
    }
  }

  function result({ engine: number, path, args }: Call): unknown {
    if (number === undefined) return (path[0] === "build" ? build : open)(...(args as [string]));
    const engine = engines.get(number);
    if (!engine) throw new SnapseekError("engine/freed", "this engine was freed; open the snapshot again");
    if (path[0] === "free") engines.delete(number);
    let owner: unknown;
    let value: unknown = engine;
    for (const name of path) {
      if (name in Object.prototype || !(name in Object(value))) throw new TypeError(`an engine has no ${path.join(".")}`);
      owner = value;
      value = (owner as Record<string, unknown>)[name];
    }
    return typeof value === "function" ? engine.withDocuments(() => value.apply(owner, args) as unknown) : value;
  }

  function answer(id: number, value: unknown): void {
    if (value instanceof Engine) {
      engines.set(++lastEngine, value);
      post({ snapseek: "done", id, outcome: { engine: lastEngine } });
      return;
    }
    const transfer = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
    post({ snapseek: "done", id, outcome: { value } }, transfer);
  }

  /** A function of the page. */
  function calledBack(id: number, place: Place, returns: Map<number, (outcome: Outcome) => void>) {
    return (...args: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const call = returns.size;
        returns.set(call, (outcome) => {
          if ("error" in outcome) reject(putTogether(outcome.error));
          else resolve("value" in outcome ? outcome.value : undefined);
        });
        post({ snapseek: "calls", id, call, place, args });
      });
  }
}

function set(args: unknown[], [argument, name]: Place, value: unknown): void {
  Object.defineProperty(args[argument], name, { value, enumerable: true });
}
