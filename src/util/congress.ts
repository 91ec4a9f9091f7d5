/** First and last day of a Congress, yyyy-mm-dd, both inclusive. */
export interface CongressDates {
  readonly mindate: string;
  readonly maxdate: string;
}

/**
 * The first Congress that began on January 3. The Twentieth Amendment, in force since October 1933, moved the day from
 * March 4, so the 73rd Congress began on March 4 and ended on January 3.
 */
const FIRST_JANUARY_CONGRESS = 74;
export const MAX_CONGRESS = 200;

/**
 * The dates of a Congress. The day on which one ends (at noon) and the next begins belongs to the next, as in {@link congressOn}.
 * @example
 * congressDates(117); //=> { mindate: "2021-01-03", maxdate: "2023-01-02" }
 * congressDates(73);  //=> { mindate: "1933-03-04", maxdate: "1935-01-02" }
 */
export function congressDates(congress: number): CongressDates {
  const end = new Date(`${firstDay(congress + 1)}T00:00:00Z`);
  end.setUTCDate(end.getUTCDate() - 1);
  return { mindate: firstDay(congress), maxdate: end.toISOString().slice(0, 10) };
}

function firstDay(congress: number): string {
  return `${1789 + 2 * (congress - 1)}-${congress < FIRST_JANUARY_CONGRESS ? "03-04" : "01-03"}`;
}

/** The Congress on a day, `yyyy-mm-dd`. */
export function congressOn(day: string): number {
  const congress = Math.floor((Number(day.slice(0, 4)) - 1789) / 2) + 1;
  return day < firstDay(congress) ? congress - 1 : congress;
}

/** The number of a Congress from its number or ordinal; undefined unless it is from 1 to 200. */
export function congressNumber(value: unknown): number | undefined {
  const congress = numberOf(value);
  return Number.isInteger(congress) && congress >= 1 && congress <= MAX_CONGRESS ? congress : undefined;
}

const SUFFIXES: Readonly<Record<number, string>> = { 1: "st", 2: "nd", 3: "rd" };

/** 117 as "117th"; 1 as "1st". */
export function ordinal(number: number): string {
  const isTeen = Math.floor((number % 100) / 10) === 1;
  return `${number}${(isTeen ? undefined : SUFFIXES[number % 10]) ?? "th"}`;
}

function numberOf(value: unknown): number {
  if (typeof value === "string") return parseOrdinal(value);
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : Number.NaN;
}

function parseOrdinal(text: string): number {
  const [, digits, suffix] = /^(\d{1,3})(st|nd|rd|th)?(?: congress)?$/.exec(text.trim().toLowerCase()) ?? [];
  const number = Number(digits);
  return suffix === undefined || ordinal(number) === `${number}${suffix}` ? number : Number.NaN;
}
