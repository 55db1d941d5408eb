// How does the WebAssembly module get here? From where the caller says, or else from the first place of the environment
// that has it.

import { SnapseekError, reasonOf, refusal } from "./errors.js";
import { isPlace } from "./place.js";

// To TypeScript a module is `{}`, and so would a number be; hence the `object`.
/** The module, or where it is: a URL, in Node also a path. */
export type WasmSource = string | URL | Response | BufferSource | (WebAssembly.Module & object);

/** What a module is made of. */
export type Wasm = Response | BufferSource | WebAssembly.Module;

/** The glue, as far as loading is concerned: what makes an instance of a module. */
export interface Glue {
  readonly initSync: (input: { module: WebAssembly.Module }) => unknown;
}

/**
 * Loads the module once, when it is first needed; what failed is tried again.
 *
 * @param places Where the module may be, best first.
 * @param wasmAt The module at a place that the caller named.
 */
export function loader<Raw extends Glue>(
  raw: Raw,
  places: readonly (() => Promise<Wasm>)[],
  wasmAt: (location: string | URL) => Promise<Wasm>,
): (given?: WasmSource | PromiseLike<WasmSource>) => Promise<Raw> {
  let loading: Promise<Raw> | undefined;

  async function start(given: WasmSource | PromiseLike<WasmSource> | undefined): Promise<Raw> {
    const named = async (): Promise<Wasm> => {
      const source = (await given)!;
      return isPlace(source) ? wasmAt(source) : source;
    };
    const failures: unknown[] = [];
    for (const place of given === undefined ? places : [named]) {
      try {
        raw.initSync({ module: await compiled(await place()) });
        return raw;
      } catch (failure) {
        failures.push(failure);
      }
    }
    const message = `the WebAssembly module could not be loaded: ${failures.map(reasonOf).join("; ")}`;
    throw new SnapseekError("wasm/failed", message, { cause: failures[0] });
  }

  return (given) => {
    loading ??= start(given).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** The module, compiled; a response while it arrives, where its type lets the browser do so. */
async function compiled(wasm: Wasm): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (!("arrayBuffer" in wasm)) return WebAssembly.compile(wasm);
  const type = wasm.headers.get("content-type");
  // Servers of single-page applications answer with the page where they have no file.
  if (!wasm.ok || type?.startsWith("text/html")) throw refusal(wasm);
  return type === "application/wasm" && "compileStreaming" in WebAssembly
    ? WebAssembly.compileStreaming(wasm)
    : WebAssembly.compile(await wasm.arrayBuffer());
}
