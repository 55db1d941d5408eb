// How does a moment become milliseconds?

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[Tt ][\d:.]+$/;

/** A moment: milliseconds since 1970, an ISO 8601 date (UTC where it names no zone), or a `Date`. */
export type Moment = number | string | Date;

/**
 * Returns a moment in milliseconds since 1970.
 *
 * @param name The name of the argument, for the message.
 * @throws RangeError where a string or `Date` is no date.
 */
export function milliseconds(moment: Moment, name: string): number {
  if (typeof moment === "number") return moment;
  // By itself JavaScript takes a time of day without a zone for local time: another result on every machine.
  const time = typeof moment === "string" ? Date.parse(WITHOUT_ZONE.test(moment) ? `${moment}Z` : moment) : moment.getTime();
  if (Number.isNaN(time)) throw new RangeError(`${name}: ${String(moment)} is no date`);
  return time;
}
