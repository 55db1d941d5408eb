// The same engine, in a worker: what the worker does.

import { Engine, freed } from "./engine.js";
import type { Package } from "./index.js";
import { listen, takenApart, valueOf, type Endpoint, type Outcome, type Place, type ToPage, type ToWorker } from "./message.js";
import { turn } from "./turn.js";

type Call = ToWorker & { snapseek: "call" };

/** Lets a page open and use engines here. */
export function exposed(endpoint: Endpoint, entry: Pick<Package, "open" | "build">): void {
  const engines = new Map<number, Engine>();
  /** What hears the further messages about a call that is under way. */
  const running = new Map<number, (message: Exclude<ToWorker, Call>) => void>();
  let last = 0;

  const post = (message: ToPage, transfer: ArrayBuffer[] = []): void => endpoint.postMessage(message, transfer);

  listen<ToWorker>(endpoint, (message) => {
    if (message.snapseek === "call") void run(message);
    else running.get(message.id)?.(message);
  });

  async function run(call: Call): Promise<void> {
    const { id, functions, signals } = call;
    const abort = new AbortController();
    const returns: ((outcome: Outcome) => void)[] = [];
    running.set(id, (message) => {
      if (message.snapseek === "abort") abort.abort();
      else returns[message.call]?.(message.outcome);
    });
    const set = ([argument, name]: Place, value: unknown): void => {
      (call.args[argument] as Record<string, unknown>)[name] = value;
    };
    for (const place of signals) set(place, abort.signal);
    for (const place of functions) {
      set(place, async (...args: unknown[]) => {
        const returned = new Promise<Outcome>((resolve) => {
          post({ snapseek: "calls", id, call: returns.push(resolve) - 1, place, args });
        });
        return valueOf(await returned);
      });
    }
    const done = (outcome: Outcome, transfer?: ArrayBuffer[]): void => post({ snapseek: "done", id, outcome }, transfer);
    try {
      // An abort that is already here is heard first.
      if (signals.length > 0) await turn();
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
    const engine = number === undefined ? undefined : engines.get(number);
    if (number !== undefined && !engine) throw freed();
    if (path[0] === "free") engines.delete(number!);
    let owner: unknown;
    let value: unknown = engine ?? entry;
    for (const name of path) {
      if (name in Object.prototype || !(name in Object(value))) throw new TypeError(`an engine has no ${path.join(".")}`);
      owner = value;
      value = (owner as Record<string, unknown>)[name];
    }
    if (typeof value !== "function") return value;
    const work = (): unknown => (value as Function).apply(owner, args);
    return engine ? engine.withDocuments(work) : work();
  }
}
