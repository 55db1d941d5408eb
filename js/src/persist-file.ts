// Stores files in a folder, in Node. Only the entry for Node imports this file.
import * as nodeFiles from "node:fs/promises";
import { join, resolve } from "node:path";
import { failure, queue, type Place } from "./persist-place.js";

/** The functions of `node:fs/promises` that a store needs. */
export type Files = Pick<
  typeof nodeFiles,
  "mkdir" | "open" | "readFile" | "readdir" | "rm" | "rmdir" | "stat" | "unlink"
>;

const LOCK = "lock";
/** Milliseconds before the next attempt to take the lock. */
const PAUSE = 20;
/** Milliseconds after which a lock file without a name counts as left by a process that ended while it wrote it. */
const PATIENCE = 5000;

/** One queue per folder for the stores of this process. Other processes wait for the lock file. */
const queues = new Map<string, ReturnType<typeof queue>>();

/** Creates a place that keeps its files in `parent/name`. */
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
      // The lock file goes with the folder; a process that waits for it creates both again.
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

/** Makes new names in a folder durable. Some systems do not let a program open a folder; they do without. */
async function syncFolder(folder: string, files: Files): Promise<void> {
  const handle = await files.open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Waits until there is no lock file, or its process is gone, and creates one. Returns the function that removes it. */
async function lock(folder: string, files: Files): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  const own = `${process.pid} ${Math.random().toString(36).slice(2)}`;
  for (;;) {
    try {
      await files.mkdir(folder, { recursive: true });
      if (await make(path, own, files)) {
        return async () => {
          if (await holds(path, own, files)) await files.rm(path, { force: true });
        };
      }
      await breakStale(path, own, files);
    } catch (error) {
      // Another process removed the folder in between.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw failure("the store cannot be locked", error);
    }
    await new Promise((resume) => setTimeout(resume, PAUSE));
  }
}

/** Creates a lock file that names its owner. Returns whether it did: `false` when the file exists. */
async function make(path: string, own: string, files: Files): Promise<boolean> {
  let file;
  try {
    file = await files.open(path, "wx");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    await file.writeFile(own);
  } catch (error) {
    await files.rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  // A process that was suspended before it wrote its name may have lost the file to `breakStale`.
  return holds(path, own, files);
}

async function holds(path: string, own: string, files: Files): Promise<boolean> {
  return (await files.readFile(path, "utf8").catch(() => "")) === own;
}

/**
 * Removes the lock file of a process that is gone.
 *
 * Several processes may see the same stale lock, and a slow one must not remove the lock that the next owner has made
 * meanwhile. Only the process that creates the claim file of exactly this lock may remove it, and it looks again first.
 * A claim is a lock file itself, so that the claim of a process that is gone can be broken, too.
 */
async function breakStale(path: string, own: string, files: Files): Promise<void> {
  const found = await files.readFile(path, "utf8").catch(() => undefined);
  if (found === undefined) return;
  const [, pid, number = "unnamed"] = /^(\d+) (\w+)$/.exec(found) ?? [];
  if (pid ? isAlive(Number(pid)) : !(await isOld(path, files))) return;
  const claim = `${path}.${number}`;
  try {
    if (!(await make(claim, own, files))) return await breakStale(claim, own, files);
    if (await holds(path, found, files)) await files.rm(path, { force: true });
  } finally {
    if (await holds(claim, own, files)) await files.rm(claim, { force: true });
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
