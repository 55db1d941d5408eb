import { Engine, call, listed } from "./engine.js";
import { SnapseekError } from "./errors.js";
import init, { Engine as RawEngine, build as rawBuild, chunkText as rawChunkText } from "./glue.js";
import type { Chunk, Embed, PresetName, RecordInput, Schema } from "./types.js";

/** A snapshot, or where it is: a URL, in Node also a path. */
export type Source =
  | string
  | URL
  | Response
  | ArrayBuffer
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>;

/** What differs between a browser and Node. */
export interface Environment {
  /** The package's own wasm module. */
  wasm(): Promise<Response | BufferSource>;
  /** What is at a URL or path. */
  read(location: string | URL): Promise<Response | Uint8Array>;
}

/** How a snapshot is opened. */
export interface OpenOptions {
  /** Embeds queries, for every `search`. Defaults to the snapshot's own embedder, where it has one. */
  readonly embed?: Embed;
}

/** The functions of the package, for one environment. */
export interface Package {
  open(source: Source | Promise<Source>, options?: OpenOptions): Promise<Engine>;
  build(records: Iterable<RecordInput> | string, schema?: Schema | PresetName): Promise<Engine>;
  chunkText(body: string, size?: number, overlap?: number): Promise<Chunk[]>;
}

/** Binds the package to an environment. The wasm module is loaded once, when it is first needed. */
export function connect(environment: Environment): Package {
  let loading: Promise<void> | undefined;
  /** Loads the module once; what failed is tried again. */
  function load(): Promise<void> {
    loading ??= start().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }
  async function start(): Promise<void> {
    try {
      await init({ module_or_path: environment.wasm() });
    } catch (cause) {
      throw new SnapseekError("wasm/failed", `the WebAssembly module could not be loaded: ${reason(cause)}`, { cause });
    }
  }
  return {
    async open(source, options) {
      const [bytes] = await Promise.all([bytesOf(source, environment), load()]);
      return Engine.of(call(() => RawEngine.open(bytes)), options?.embed);
    },
    async build(records, schema) {
      await load();
      return Engine.of(call(() => rawBuild(listed(records), schema)));
    },
    async chunkText(body, size, overlap) {
      await load();
      return call(() => rawChunkText(body, size, overlap)) as Chunk[];
    },
  };
}

async function bytesOf(source: Source | Promise<Source>, environment: Environment): Promise<Uint8Array> {
  try {
    const given = await source;
    const isPlace = typeof given === "string" || given instanceof URL;
    return await bytesIn(isPlace ? await environment.read(given) : given);
  } catch (cause) {
    if (cause instanceof SnapseekError) throw cause;
    throw new SnapseekError("source/failed", `the snapshot could not be read: ${reason(cause)}`, { cause });
  }
}

/** The bytes of a source. It is known by what it can do, since another realm's `Response` is not this one's. */
async function bytesIn(source: Exclude<Source, string | URL>): Promise<Uint8Array> {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (Object.prototype.toString.call(source) === "[object ArrayBuffer]") return new Uint8Array(source as ArrayBuffer);
  const isObject = typeof source === "object" && source !== null;
  if (isObject && "arrayBuffer" in source) {
    if ("ok" in source && !source.ok) {
      throw new SnapseekError("source/failed", `the snapshot could not be fetched: ${source.url} answered ${source.status}`);
    }
    return new Uint8Array(await source.arrayBuffer());
  }
  if (isObject && "getReader" in source) return new Uint8Array(await new Response(source).arrayBuffer());
  const wanted = "a URL, Response, ArrayBuffer, Uint8Array, Blob or ReadableStream is wanted";
  throw new SnapseekError("source/unknown", `this is no source of a snapshot; ${wanted}`);
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
