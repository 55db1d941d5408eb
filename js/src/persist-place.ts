import { SnapseekError } from "./errors.js";

/** Named bytes that outlive the page or process. A write that is interrupted may leave anything under its name. */
export interface Place {
  /** The bytes of this name; `undefined` where there are none. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Keeps bytes under this name; when it is done, they outlive a crash. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Removes a name, if it is there. */
  remove(name: string): Promise<void>;
  /** All names. */
  names(): Promise<string[]>;
  /** Removes the place itself, which is empty. */
  removeAll(): Promise<void>;
  /** Does `work` while nobody else, in any tab or process, is doing theirs. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** The error of a place, with its class and code. */
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

/** One after the other, for where the platform has no lock. */
export function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/** A lock among tabs and workers of this origin; among the stores of one page where there are no Web Locks. */
export function lockNamed(name: string): Place["alone"] {
  const { locks } = navigator;
  return locks ? async (work) => await locks.request(name, work) : queue();
}
