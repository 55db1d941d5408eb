import { SnapseekError } from "./errors.js";
import { lockNamed, type Place } from "./persist-place.js";

const ROOT = "snapseek";
/** Bytes per write. Chromium reports a full disk only for pieces that fit into its pipe. */
const PIECE = 1 << 18;

interface SyncAccessHandle {
  truncate(size: number): void;
  write(bytes: Uint8Array, options: { at: number }): number;
  flush(): void;
  close(): void;
}

type Folder = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };
type File = FileSystemFileHandle & { createSyncAccessHandle?(): Promise<SyncAccessHandle> };

/** Returns whether this environment has an origin private file system that can be written to. */
export function hasOpfs(): boolean {
  if (typeof navigator === "undefined" || !navigator.storage?.getDirectory) return false;
  const { prototype } = globalThis.FileSystemFileHandle ?? {};
  return prototype !== undefined && ("createWritable" in prototype || "createSyncAccessHandle" in prototype);
}

/** Creates a place that keeps its files in a folder of the origin private file system. */
export async function opfsPlace(name: string): Promise<Place> {
  if (!hasOpfs()) {
    const message = 'there is no origin private file system here that can be written to; use in: "indexeddb"';
    throw new SnapseekError("persist/unavailable", message);
  }
  const folderName = encodeURIComponent(name);
  const root = async () => (await navigator.storage.getDirectory()).getDirectoryHandle(ROOT, { create: true });
  const folder = async () => (await (await root()).getDirectoryHandle(folderName, { create: true })) as Folder;
  const absent = (error: unknown) => {
    if ((error as { name?: string }).name !== "NotFoundError") throw error;
    return undefined;
  };
  return {
    async read(name) {
      const file = await (await folder()).getFileHandle(name).catch(absent);
      return file && new Uint8Array(await (await file.getFile()).arrayBuffer());
    },
    async write(name, bytes) {
      const file = await (await folder()).getFileHandle(name, { create: true });
      await ("createWritable" in file ? writeWhole(file, bytes) : writeInPlace(file, bytes));
    },
    async remove(name) {
      await (await folder()).removeEntry(name).catch(absent);
    },
    async names() {
      const names = [];
      for await (const name of (await folder()).keys()) names.push(name);
      return names;
    },
    async removeAll() {
      await (await root()).removeEntry(folderName, { recursive: true }).catch(absent);
    },
    alone: lockNamed(`${ROOT}/opfs/${name}`),
  };
}

async function writeWhole(file: FileSystemFileHandle, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const writable = await file.createWritable();
  try {
    for (let at = 0; at < bytes.length; at += PIECE) await writable.write(bytes.subarray(at, at + PIECE));
  } catch (error) {
    await writable.abort().catch(() => {});
    throw error;
  }
  await writable.close();
}

/** Writes a file in place, for browsers that can do so in workers only. */
async function writeInPlace(file: File, bytes: Uint8Array): Promise<void> {
  if (!file.createSyncAccessHandle) {
    const message = 'this browser writes such files in workers only; open the store there, or use in: "indexeddb"';
    throw new SnapseekError("persist/unavailable", message);
  }
  const handle = await file.createSyncAccessHandle();
  try {
    handle.truncate(0);
    for (let at = 0; at < bytes.length; ) {
      const written = handle.write(bytes.subarray(at), { at });
      if (written === 0) throw new DOMException("nothing more could be written", "QuotaExceededError");
      at += written;
    }
    handle.flush();
  } finally {
    handle.close();
  }
}
