// Files, for Node and what is like it.

import { open } from "node:fs/promises";
import type { ReadPart } from "./ranges.js";
import type { Pieces } from "./source.js";

const PIECE = 1 << 20;

/** Whether a place is to be fetched; others are paths and file URLs. */
export const isRemote = (location: string | URL): boolean => /^https?:/i.test(String(location));

/** A file URL may come as a string, as a worker gets it. */
export const asPath = (location: string | URL): string | URL =>
  typeof location === "string" && /^file:/i.test(location) ? new URL(location) : location;

/** The file at a path or file URL, in pieces of a megabyte. */
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

/** Reads the file at a path or file URL. It is open while it is read, and no longer. */
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
