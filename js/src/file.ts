// Reads files in Node and similar runtimes.

import { open } from "node:fs/promises";
import type { ReadPart } from "./ranges.js";
import type { Pieces } from "./source.js";

/** The size of a piece in bytes. */
const PIECE = 1 << 20;

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
