// Locations of files.

import type { Environment } from "./index.js";
import type { Source } from "./source.js";

type FileAt = Environment["file"];

/** Returns whether a value is a location: a URL, or a path in Node. */
export function isPlace(value: unknown): value is string | URL {
  return typeof value === "string" || value instanceof URL;
}

/** Returns whether a location is a folder of parts: it ends with a slash, or names the file that lists them. */
export function isFolder(place: string | URL): boolean {
  return /(^|\/)snapseek\.json$|\/$/.test(String(place).replace(/[?#].*$/, ""));
}

/**
 * Returns the address of the documents beside a snapshot; an empty list if the snapshot has no address.
 *
 * @internal
 */
export function beside(source: Source, fileAt?: FileAt): string | readonly [] {
  const place = isPlace(source) ? source : (source as Partial<Response>).url;
  return place ? extended(place, ".docs", fileAt) : [];
}

/** Appends a suffix to the path of an address, before the query and fragment of a URL. */
export function extended(place: string | URL, suffix: string, fileAt: FileAt): string {
  const isPath = typeof place === "string" && fileAt?.(place);
  return isPath ? place + suffix : String(place).replace(/(?=[?#])|$/, suffix);
}
