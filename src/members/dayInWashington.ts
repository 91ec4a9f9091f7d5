const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const hourInWashington = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hour: "2-digit",
  hourCycle: "h23",
});
/** Days whose hour from 4 to 5 UTC is still in the day before. */
const standardTime = new Map<number, boolean>();
const texts = new Map<number, string>();

/** Times from the year 1 to 9998: days of four digits compare as text. */
const MIN_TIME = Date.parse("0001-01-02T00:00:00Z");
const MAX_TIME = Date.parse("9999-01-01T00:00:00Z");

/**
 * The day in Washington of a time: Congress keeps the days of its clocks, and an evening session there is on the next day in UTC.
 *
 * @param time milliseconds since 1970
 * @returns `yyyy-mm-dd`; null for a time that is not a number or of no year from 1 to 9998
 * @example
 * dayInWashington(Date.parse("2024-04-27T02:35:35Z")); //=> "2024-04-26"
 */
export function dayInWashington(time: number): string | null {
  if (!(time >= MIN_TIME && time < MAX_TIME)) return null;
  const day = Math.floor(time / DAY);
  const hour = Math.floor((time - day * DAY) / HOUR);
  return dayText(hour < 4 || (hour === 4 && isStandardTime(day)) ? day - 1 : day);
}

/** Washington is 4 or 5 hours behind UTC, so only one hour of a day needs the rules of daylight saving. */
function isStandardTime(day: number): boolean {
  let known = standardTime.get(day);
  if (known === undefined) {
    known = hourInWashington.format(day * DAY + 4 * HOUR) === "23";
    standardTime.set(day, known);
  }
  return known;
}

function dayText(day: number): string {
  let text = texts.get(day);
  if (text === undefined) {
    text = new Date(day * DAY).toISOString().slice(0, 10);
    texts.set(day, text);
  }
  return text;
}
