/** Whether this says where something is: a URL, in Node also a path. */
export function isPlace(value: unknown): value is string | URL {
  return typeof value === "string" || value instanceof URL;
}
