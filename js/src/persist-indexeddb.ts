import { SnapseekError } from "./errors.js";
import { lockNamed, type Place } from "./persist-place.js";

const FILES = "files";

/** Creates a place that keeps its files in an IndexedDB database. */
export async function indexedDbPlace(name: string): Promise<Place> {
  if (typeof indexedDB === "undefined") {
    throw new SnapseekError("persist/unavailable", 'there is no IndexedDB here; use in: "file" in Node');
  }
  const databaseName = `snapseek/${name}`;

  /** Runs one transaction on its own connection: an open connection would block the removal of the database. */
  async function transact<T>(mode: IDBTransactionMode, ask: (files: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const database = await connected(databaseName);
    try {
      return await new Promise((resolve, reject) => {
        const transaction = database.transaction(FILES, mode, { durability: "strict" });
        const request = ask(transaction.objectStore(FILES));
        // The data is durable when the transaction is complete; the request succeeds earlier.
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was ended"));
      });
    } finally {
      database.close();
    }
  }

  return {
    read: (name) => transact<Uint8Array<ArrayBuffer> | undefined>("readonly", (files) => files.get(name)),
    write: async (name, bytes) => void (await transact("readwrite", (files) => files.put(bytes, name))),
    remove: (name) => transact("readwrite", (files) => files.delete(name)),
    names: async () => (await transact("readonly", (files) => files.getAllKeys())).map(String),
    removeAll: () => settled(indexedDB.deleteDatabase(databaseName)).then(() => {}),
    alone: lockNamed(`snapseek/indexeddb/${name}`),
  };
}

function connected(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(FILES);
  return settled(request);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
