import type { Environment } from "./index.js";

/** A string is a URL. */
export const fetching: Pick<Environment, "wasmAt" | "read"> = {
  wasmAt: (location) => fetch(location),
  read: (location, signal) => fetch(location, { signal } as RequestInit),
};
