// The same engine, in a worker: what the worker does.

import { Engine, freed } from "./engine.js";
import type { Package } from "./index.js";
import { listen, takenApart, valueOf, type Endpoint, type Outcome, type Place, type ToPage, type ToWorker } from "./message.js";

type Call = ToWorker & { snapseek: "call" };

/** A call that is under way: what ends it, and who waits for what the page's functions give. */
interface Running {
  readonly abort: AbortController;
  readonly returns: ((outcome: Outcome) => void)[];
}

/** Lets a page open and use engines here. */
export function exposed(endpoint: Endpoint, { open, build }: Pick<Package, "open" | "build">): void {
  const engines = new Map<number, Engine>();
  const running = new Map<number, Running>();
  let last = 0;

  const post = (message: ToPage, transfer: ArrayBuffer[] = []): void => endpoint.postMessage(message, transfer);

  listen<ToWorker>(endpoint, (message) => {
    if (message.snapseek === "call") return void run(message);
    const { abort, returns } = running.get(message.id) ?? {};
    if (message.snapseek === "abort") abort?.abort();
    else returns?.[message.call]?.(message.outcome);
  });

  async function run(call: Call): Promise<void> {
    const { id, functions, signals, args } = call;
    const abort = new AbortController();
    const returns: Running["returns"] = [];
    running.set(id, { abort, returns });
    const calledBack = (place: Place) => async (...args: unknown[]) => {
      const returned = new Promise<Outcome>((resolve) => {
        post({ snapseek: "calls", id, call: returns.push(resolve) - 1, place, args });
      });
      return valueOf(await returned);
    };
    for (const place of functions) set(args, place, calledBack(place));
    for (const place of signals) set(args, place, abort.signal);
    const done = (outcome: Outcome, transfer?: ArrayBuffer[]): void => post({ snapseek: "done", id, outcome }, transfer);
    try {
      // An abort that is already here is heard first.
      if (signals.length > 0) await new Promise((resolve) => setTimeout(resolve));
      abort.signal.throwIfAborted();
      const value = await result(call);
      if (value instanceof Engine) {
        engines.set(++last, value);
        done({ engine: last });
      } else done({ value }, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []);
    } catch (thrown) {
      done({ error: takenApart(thrown) });
    }
    running.delete(id);
  }

  function result({ engine: number, path, args }: Call): unknown {
    if (number === undefined) return (path[0] === "build" ? build : open)(...(args as [string]));
    const engine = engines.get(number);
    if (!engine) throw freed();
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
}

function set(args: unknown[], [argument, name]: Place, value: unknown): void {
  Object.defineProperty(args[argument], name, { value, enumerable: true });
}
