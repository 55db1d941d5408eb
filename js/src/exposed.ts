// The worker's side of an engine in a worker: it runs the calls that remote.ts sends.

import { Engine, freed, turn } from "./engine.js";
import type { Package } from "./index.js";
import { listen, takenApart, valueOf, type Endpoint, type Outcome, type Place, type ToPage, type ToWorker } from "./message.js";

type Call = ToWorker & { snapseek: "call" };

/** Answers the calls of a page. */
export function exposed(endpoint: Endpoint, entry: Pick<Package, "open" | "build">): void {
  /** The package at place 0, then the engines by their numbers; `undefined` for freed engines. */
  const owners: (object | undefined)[] = [entry];
  /** Handlers of later messages, by call: for running calls, and for calls whose functions an engine still uses. */
  const running = new Map<number, (message: Exclude<ToWorker, Call>) => void>();
  /** The call that made each engine: the functions passed to `open` and `build` live as long as the engine. */
  const makers = new Map<number, number>();

  const post = (message: ToPage, transfer: ArrayBuffer[] = []): void => endpoint.postMessage(message, transfer);

  listen<ToWorker>(endpoint, (message) => {
    if (message.snapseek === "call") void run(message);
    else running.get(message.id)?.(message);
  });

  async function run(call: Call): Promise<void> {
    const { id, functions, signals, symbols } = call;
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
    for (const place of symbols) set(place, Symbol("from the page"));
    for (const place of functions) {
      set(place, async (...args: unknown[]) => {
        const returned = new Promise<Outcome>((resolve) => {
          post({ snapseek: "calls", id, call: returns.push(resolve) - 1, place, args });
        });
        return valueOf(await returned);
      });
    }
    try {
      // Handle an abort message that has already arrived.
      if (signals.length > 0) await turn();
      abort.signal.throwIfAborted();
      const value = await result(call);
      if (value instanceof Engine) {
        const engine = owners.push(value) - 1;
        makers.set(engine, id);
        post({ snapseek: "done", id, outcome: { engine } });
        return;
      }
      post({ snapseek: "done", id, outcome: { value } }, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []);
    } catch (thrown) {
      post({ snapseek: "done", id, outcome: { error: takenApart(thrown) } });
    }
    running.delete(id);
  }

  function result({ engine, path, args }: Call): unknown {
    const first = owners[engine];
    if (!first) throw freed();
    let owner: unknown;
    let value: unknown = first;
    for (const name of path) {
      if (name in Object.prototype || !(name in Object(value))) throw new TypeError(`an engine has no ${path.join(".")}`);
      owner = value;
      value = (owner as Record<string, unknown>)[name];
    }
    if (path[0] === "free") {
      delete owners[engine];
      running.delete(makers.get(engine)!);
      makers.delete(engine);
    }
    if (typeof value !== "function") return value;
    const work = (): unknown => (value as Function).apply(owner, args);
    return first instanceof Engine ? first.withDocuments(work) : work();
  }
}
