// The entry for workers of Node.
import { exposed } from "./exposed.js";
import type { Endpoint } from "./message.js";
import { build, open } from "./node.js";

/** Lets the page that created this worker open and use engines in it. Call `expose(self)`, in Node `expose(parentPort)`. */
export function expose(scope: Endpoint): void {
  exposed(scope, { open, build });
}

export type { Endpoint } from "./message.js";
export { connect, openInWorker, type Remote, type RemoteEngine, type RemotePackage } from "./remote.js";
export * from "./exports.js";
