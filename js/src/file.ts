// Reads files in Node and similar runtimes.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fetched } from "./fetching.js";
import type { Environment } from "./index.js";
import type { OpenFile } from "./part-source.js";
import type { ReadPart } from "./ranges.js";
import type { Pieces } from "./source.js";

/** The size of a piece in bytes. */
const PIECE = 1 << 20;

/** Closes the files of engines that were never freed. */
const abandoned = new FinalizationRegistry<() => void>((close) => close());

/** Returns whether a location is an HTTP URL rather than a path or file URL. */
export const isRemote = (location: string | URL): boolean => /^https?:/i.test(String(location));

/** Turns a file URL that comes as a string into a `URL`, because workers receive URLs as strings. */
export const asPath = (location: string | URL): string | URL =>
  typeof location === "string" && /^file:/i.test(location) ? new URL(location) : location;

/** Opens the file at a path or file URL, to be read in pieces of 1 MiB. */
export async function pieces(location: string | URL): Promise<Pieces> {
  const file = await open(asPath(location));
  try {
    const { size } = await file.stat();
    const buffer = new Uint8Array(Math.min(size, PIECE) || 1);
    return {
      total: size,
      async next() {
        const { bytesRead } = await file.read(buffer, 0, buffer.length);
        return bytesRead > 0 ? buffer.subarray(0, bytesRead) : undefined;
      },
      stop: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns a function that reads parts of the file at a path or file URL. It opens the file for each read only. */
export function parts(location: string | URL): ReadPart {
  return async (start, end) => {
    const file = await open(asPath(location));
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
}

/** Opens the file at a path or file URL, to be read synchronously. It is the same file even if another takes its name. */
function handle(location: string | URL): OpenFile {
  const file = openSync(asPath(location), "r");
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const opened: OpenFile = {
    size: fstatSync(file).size,
    readSync(start, end) {
      const bytes = new Uint8Array(end - start);
      let filled = 0;
      for (let read = -1; read !== 0 && filled < bytes.length; filled += read) {
        read = readSync(file, bytes, filled, bytes.length - filled, start + filled);
      }
      return bytes.subarray(0, filled);
    },
    beside(name, start, end) {
      const path = asPath(location);
      const other = handle(path instanceof URL ? new URL(name, path) : join(dirname(path), name));
      try {
        return other.readSync(start, end);
      } finally {
        other.close();
      }
    },
    close,
  };
  abandoned.register(opened, close);
  return opened;
}

/** Reads snapshots and modules in Node, where a string is a path unless it is an HTTP URL. */
export const files: Required<Pick<Environment, "wasmAt" | "read" | "file">> = {
  wasmAt: async (location) => (isRemote(location) ? fetch(location) : readFile(asPath(location))),
  async read(location, signal, range) {
    if (isRemote(location)) return fetched(location, signal, range);
    return range ? handle(location) : pieces(location);
  },
  file: (location) => (isRemote(location) ? undefined : parts(location)),
};
