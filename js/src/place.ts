/** Returns whether a value is a location: a URL, or a path in Node. */
export function isPlace(value: unknown): value is string | URL {
  return typeof value === "string" || value instanceof URL;
}
