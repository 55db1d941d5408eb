// In Node: a folder of files. Only the entry for Node reaches this.
import * as nodeFiles from "node:fs/promises";
import { join, resolve } from "node:path";
import { failure, queue, type Place } from "./persist-place.js";

/** What is used of `node:fs/promises`. */
export type Files = Pick<
  typeof nodeFiles,
  "mkdir" | "open" | "readFile" | "readdir" | "rename" | "rm" | "rmdir" | "stat" | "unlink"
>;

const LOCK = "lock";
/** How long to wait before a lock is tried again. */
const PAUSE = 20;
/** A lock that names nobody for so long was left by a process that ended while it made it. */
const PATIENCE = 5000;

/** The stores of this process take turns by folder; those of others find the lock file. */
const queues = new Map<string, ReturnType<typeof queue>>();

/** A folder of files. */
export async function filePlace(name: string, parent: string, files: Files = nodeFiles): Promise<Place> {
  const folder = resolve(parent, encodeURIComponent(name).replace(/^\.+$/, (dots) => dots.replaceAll(".", "%2E")));
  const path = (name: string) => join(folder, name);
  const absent = (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  };
  if (!queues.has(folder)) queues.set(folder, queue());
  const inTurn = queues.get(folder)!;

  return {
    async read(name) {
      const bytes = await files.readFile(path(name)).catch(absent);
      return bytes && new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
    },
    async write(name, bytes) {
      const file = await files.open(path(name), "w");
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncFolder(folder, files);
    },
    async remove(name) {
      await files.unlink(path(name)).catch(absent);
    },
    async names() {
      const names = (await files.readdir(folder).catch(absent)) ?? [];
      return names.filter((name) => !name.startsWith(LOCK));
    },
    async removeAll() {
      // The lock is still in it; who waits for it makes the folder anew.
      await files.rm(path(LOCK), { force: true });
      await files.rmdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT" && error.code !== "ENOTEMPTY") throw error;
      });
    },
    alone: (work) =>
      inTurn(async () => {
        const release = await lock(folder, files);
        try {
          return await work();
        } finally {
          await release();
        }
      }),
  };
}

/** A new name is on the disk once its folder is. Not every system lets folders be opened for that. */
async function syncFolder(folder: string, files: Files): Promise<void> {
  const handle = await files.open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Makes the lock file, when there is none or its process is gone; gives the way to remove it. */
async function lock(folder: string, files: Files): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  const own = `${process.pid} ${Math.random().toString(36).slice(2)}`;
  for (;;) {
    try {
      await files.mkdir(folder, { recursive: true });
      await make(path, own, files);
      return async () => {
        if (await holds(path, own, files)) await files.rm(path, { force: true });
      };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") continue;
      if (code !== "EEXIST") throw failure("the store cannot be locked", error);
    }
    await breakStale(path, folder, files);
    await new Promise((resume) => setTimeout(resume, PAUSE));
  }
}

async function make(path: string, own: string, files: Files): Promise<void> {
  const file = await files.open(path, "wx");
  try {
    await file.writeFile(own);
  } catch (error) {
    await files.rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

async function holds(path: string, own: string, files: Files): Promise<boolean> {
  return (await files.readFile(path, "utf8").catch(() => "")) === own;
}

/** Removes the lock of a process that is gone. It is renamed first, so that of several who see it, one removes it. */
async function breakStale(path: string, folder: string, files: Files): Promise<void> {
  const found = await files.readFile(path, "utf8").catch(() => undefined);
  if (found === undefined) return;
  const [, pid] = /^(\d+) \w+$/.exec(found) ?? [];
  if (pid ? isAlive(Number(pid)) : !(await isOld(path, files))) return;
  const aside = join(folder, `${LOCK}.${process.pid}`);
  try {
    await files.rename(path, aside);
    // Somebody may have been quicker, and this is a new lock: then it goes back.
    if (await holds(aside, found, files)) await files.rm(aside, { force: true });
    else await files.rename(aside, path);
  } catch {
    // It is gone already.
  }
}

async function isOld(path: string, files: Files): Promise<boolean> {
  const { mtimeMs } = await files.stat(path).catch(() => ({ mtimeMs: Infinity }));
  return Date.now() - mtimeMs > PATIENCE;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
