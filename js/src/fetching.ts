import type { Environment } from "./index.js";
import type { Read } from "./source.js";

/** Fetches the content at a URL, or a range of it. */
export const fetched: Read & Environment["wasmAt"] = (location: string | URL, signal?: AbortSignal, range?: string): Promise<Response> =>
  fetch(location, { signal: signal ?? null, ...(range && { headers: { range } }) });

/** Reads snapshots and modules in environments where every string is a URL. */
export const fetching: Pick<Environment, "wasmAt" | "read"> = { wasmAt: (location) => fetched(location), read: fetched };
