import type { Environment } from "./index.js";

const fetched = (location: string | URL, signal?: AbortSignal): Promise<Response> => fetch(location, { signal } as RequestInit);

/** Reads snapshots and modules in environments where every string is a URL. */
export const fetching: Pick<Environment, "wasmAt" | "read"> = { wasmAt: fetched, read: fetched };
