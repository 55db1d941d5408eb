// Stores a snapshot and its changes in files, in Node; or as a browser does, in runtimes that can.
import { SnapseekError } from "./errors.js";
import { persist as persistInBrowser, type PersistOptions } from "./persist.js";
import { filePlace } from "./persist-file.js";
import { Store } from "./persist-store.js";

/** Opens a store as in a browser, or with `in: "file"`, the default here, in a subfolder of `folder`. */
export async function persist(name: string, options: PersistOptions): Promise<Store> {
  if ((options.in ?? "file") !== "file") return persistInBrowser(name, options);
  if (options.folder === undefined) {
    throw new SnapseekError("option/folder", "folder: name the folder that is to hold the store");
  }
  return new Store(await filePlace(name, options.folder), options.open);
}

export type { FirstSource, PersistOptions, Store, StoreOpenOptions } from "./persist.js";
