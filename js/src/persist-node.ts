// Keeps a snapshot and its changes in Node, in files; or, where a runtime has them, as a browser does.
import { SnapseekError } from "./errors.js";
import { persist as persistInBrowser, type PersistOptions } from "./persist.js";
import { filePlace } from "./persist-file.js";
import { Store } from "./persist-store.js";

/** As in a browser; and `in: "file"`, the default here, with the folder in which each store has its own. */
export async function persist(name: string, options: PersistOptions): Promise<Store> {
  if ((options.in ?? "file") !== "file") return persistInBrowser(name, options);
  if (options.folder === undefined) {
    throw new SnapseekError("option/folder", "folder: name the folder in which the store is to be");
  }
  return new Store(await filePlace(name, options.folder), options.open);
}

export type { FirstSource, PersistOptions, Store, StoreOpenOptions } from "./persist.js";
