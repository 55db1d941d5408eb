// Stores a snapshot and its changes in a browser: in the origin private file system, or in IndexedDB.
import { SnapseekError } from "./errors.js";
import type { Open } from "./index.js";
import { indexedDbPlace } from "./persist-indexeddb.js";
import { hasOpfs, opfsPlace } from "./persist-opfs.js";
import { failure } from "./persist-place.js";
import { Store } from "./persist-store.js";

/** Where a store keeps its files, and how it opens snapshots. */
export interface PersistOptions {
  /** The `open` function of the entry that the application uses: `snapseek` or `snapseek/inline`. */
  readonly open: Open;
  /** Defaults to `"file"` in Node. Elsewhere it defaults to `"opfs"`, and without that to `"indexeddb"`. */
  readonly in?: "opfs" | "indexeddb" | "file";
  /** For `"file"`: the folder that holds one subfolder per store. */
  readonly folder?: string;
}

/**
 * Opens a store. It writes nothing yet.
 *
 * ```js
 * import { open } from "snapseek";
 * import { persist } from "snapseek/persist";
 *
 * const store = await persist("notes", { open });
 * const engine = await store.open(() => fetch("/notes.snap"));
 * engine.add([{ id: "1", title: "Mine" }]);
 * await store.save(engine);
 * ```
 */
export async function persist(name: string, options: PersistOptions): Promise<Store> {
  const where = options.in ?? (hasOpfs() ? "opfs" : "indexeddb");
  if (where === "file") {
    throw new SnapseekError("persist/unavailable", 'there are no files here; use in: "opfs" or "indexeddb"');
  }
  try {
    return new Store(await (where === "opfs" ? opfsPlace(name) : indexedDbPlace(name)), options.open);
  } catch (cause) {
    throw failure("the store cannot be opened", cause);
  }
}

export type { FirstSource, Store, StoreOpenOptions } from "./persist-store.js";
