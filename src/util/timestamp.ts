const ISO_TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?:(?<=\.\d{6})0+)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Normalizes a timestamp for polars, with seconds and an offset. A date alone means midnight; a missing offset means UTC. Returns
 * `undefined` for any other string, and for timestamps finer than a microsecond, the precision of a column.
 * @example
 * parseTimestamp("2024-04-27"); //=> "2024-04-27T00:00:00Z"
 * parseTimestamp("2024-02-30"); //=> undefined
 * parseTimestamp("2024-04-27T00:00:00.1234567Z"); //=> undefined
 */
export function parseTimestamp(text: string): string | undefined {
  const match = ISO_TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, day, time = "00:00:00", offset = "Z"] = match as unknown as [string, string, string?, string?];
  const normalized = `${day}T${time.length === 5 ? `${time}:00` : time}${offset}`;
  // Date.parse turns 30 February into 1 March, so the day is checked separately.
  const midnight = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return exists && time.slice(0, 2) !== "24" && !Number.isNaN(Date.parse(normalized)) ? normalized : undefined;
}

/**
 * The milliseconds since 1970 of a time in a column of text, as a column of timestamps has them: UTC without an offset, in whatever zone this runs, and
 * "5" is no year. pandas and SQL write a space before the time.
 */
export function timeOf(text: string): number | null {
  const timestamp = parseTimestamp(text.replace(/^([\d-]{10}) /, "$1T"));
  return timestamp === undefined ? null : Date.parse(timestamp);
}
