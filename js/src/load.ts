// Loads the WebAssembly module: from the place that the caller names, or from the first place of the environment that works.

import { SnapseekError, reasonOf, refusal } from "./errors.js";
import { isPlace } from "./place.js";

// TypeScript declares `WebAssembly.Module` as `{}`, which accepts numbers; `& object` excludes them.
/** The WebAssembly module: its URL, its path (in Node), or the module itself. */
export type WasmSource = string | URL | Response | BufferSource | (WebAssembly.Module & object);

/** A value that the module can be compiled from. */
export type Wasm = Response | BufferSource | WebAssembly.Module;

/** The part of the glue that makes an instance of a module. */
export interface Glue {
  readonly initSync: (input: { module: WebAssembly.Module }) => unknown;
}

/**
 * Makes a function that loads the module once, at its first call. After a failure the next call tries again.
 *
 * @param places Load the package's own module; tried in order.
 * @param wasmAt Loads the module at a place that the caller names.
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

/** Compiles the module. A response with the right type is compiled while it arrives. */
async function compiled(wasm: Wasm): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (!("arrayBuffer" in wasm)) return WebAssembly.compile(wasm);
  const type = wasm.headers.get("content-type");
  // Servers of single-page applications send the page in place of a missing file.
  if (!wasm.ok || type?.startsWith("text/html")) throw refusal(wasm);
  return type === "application/wasm" && "compileStreaming" in WebAssembly
    ? WebAssembly.compileStreaming(wasm)
    : WebAssembly.compile(await wasm.arrayBuffer());
}
