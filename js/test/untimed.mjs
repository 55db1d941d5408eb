// Responses without their duration, which differs from call to call.

/** Returns a response without `elapsed`, which must be a duration. */
export function untimed({ elapsed, ...response }) {
  if (!(elapsed >= 0)) throw new Error(`elapsed is ${elapsed}`);
  return response;
}
