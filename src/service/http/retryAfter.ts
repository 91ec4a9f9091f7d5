const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;

/** The three date formats of HTTP, the last two obsolete. All are in GMT. */
const DATES = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/**
 * Reads a Retry-After header: seconds or an HTTP date.
 *
 * @param value the raw header
 * @param now milliseconds since 1970, to compare a date with
 * @returns seconds, rounded up; 0 for a past date; undefined if it is unreadable
 * @example
 * parseRetryAfter("12", 0); //=> 12
 * parseRetryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 500); //=> 60
 * parseRetryAfter("soon", 0); //=> undefined
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)), Number.MAX_SAFE_INTEGER);
  const date = parseHttpDate(text, now);
  return date === undefined ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Parses an HTTP date into milliseconds since 1970; undefined for any other text. */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const pattern of DATES) {
    const parts = pattern.exec(text)?.groups;
    if (parts === undefined) continue;
    const { year = "", month = "", day = "", hour = "", minute = "", second = "" } = parts;
    const at = MONTHS.indexOf(month);
    if (at % 3 !== 0) return undefined;
    const date = Date.UTC(fullYear(year, now), at / 3, Number(day), Number(hour), Number(minute), Number(second));
    // Date.UTC turns 31 April into 1 May, and 25:00 into the next day: reject those, but accept a leap second.
    const whole = new Date(date);
    const exact = whole.getUTCDate() === Number(day) && whole.getUTCHours() === Number(hour);
    return exact || second === "60" ? date : undefined;
  }
  return undefined;
}

/** A two-digit year lies within fifty years of now. */
function fullYear(year: string, now: number): number {
  if (year.length > 2) return Number(year);
  const current = new Date(now).getUTCFullYear();
  const inCentury = Math.floor(current / 100) * 100 + Number(year);
  return inCentury > current + 50 ? inCentury - 100 : inCentury;
}

/** Seconds. Doubling stops here. */
const MAX_BACKOFF = 300;

/**
 * Seconds to wait after a failed attempt without a Retry-After: `factor * 2^(attempt - 1)` plus up to 25 % jitter, so that
 * clients that failed together do not retry together.
 *
 * @param attempt the attempt that failed, counted from 1
 * @param factor seconds before the first retry
 * @param random from 0 to below 1
 * @example
 * backoff(3, 0.5, () => 0); //=> 2
 */
export function backoff(attempt: number, factor: number, random: () => number): number {
  const doubled = factor * 2 ** Math.min(attempt - 1, 64);
  return Math.min(doubled, Math.max(MAX_BACKOFF, factor)) * (1 + random() / 4);
}
