import { SnapseekError } from "./errors.js";

/** Storage of named files that outlives the page or process. An interrupted write may leave any bytes in its file. */
export interface Place {
  /** Reads a file. Returns `undefined` when there is none. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Writes a file. Once the promise resolves, the file survives a crash. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Removes a file, if it exists. */
  remove(name: string): Promise<void>;
  /** Returns the names of all files. */
  names(): Promise<string[]>;
  /** Removes the place itself, after all its files. */
  removeAll(): Promise<void>;
  /** Runs `work` while no other tab or process runs its own. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Turns an error of a place into a `SnapseekError` with a code. */
export function failure(what: string, cause: unknown): SnapseekError {
  if (cause instanceof SnapseekError) return cause;
  const { name, code, message = String(cause) } = (cause ?? {}) as { name?: string; code?: string; message?: string };
  const isFull = name === "QuotaExceededError" || code === "ENOSPC" || code === "EDQUOT";
  if (isFull) {
    const remedy = "what was saved before is still there; free some space, or clear() another store";
    return new SnapseekError("persist/quota", `${what}: there is no room left; ${remedy}`, { cause });
  }
  return new SnapseekError("persist/failed", `${what}: ${message}`, { cause });
}

/** Runs one work after the other, for platforms without locks. */
export function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/** Locks among the tabs and workers of this origin; without Web Locks, only among the stores of one page. */
export function lockNamed(name: string): Place["alone"] {
  const { locks } = navigator;
  return locks ? async (work) => await locks.request(name, work) : queue();
}
