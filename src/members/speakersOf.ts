import { ValidationError } from "../errors/index.js";
import { frameRecords, isPolarsFrame } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { MEMBER_COLUMNS } from "./memberColumns.js";
import type { SpeakerOfRow } from "./speakerMatcher.js";

/** The speaker and the day of a row. */
export interface SpeakerAndDay extends SpeakerOfRow {
  /** `yyyy-mm-dd` in Washington; null if the row has none. */
  readonly day: string | null;
}

const NEEDED = ["personid", "person", "begintime"];

/**
 * The speaker and the day of every row of a frame.
 *
 * @throws ValidationError for a frame without the columns `personid`, `person` and `begintime`, or with a column that would be added
 */
export function speakersOf(frame: PolarsFrame | DanfoFrame): SpeakerAndDay[] {
  const columns = frame.columns as readonly string[];
  checkColumns(columns);
  const titleColumn = titleColumnOf(columns);
  const isPolars = isPolarsFrame(frame);
  const records = isPolars ? undefined : frameRecords(frame);
  const valuesOf = (name: string): readonly unknown[] =>
    records === undefined ? polarsValues(frame as PolarsFrame, name) : records.map((row) => row[name]);
  const [ids, names, times] = NEEDED.map(valuesOf) as [readonly unknown[], readonly unknown[], readonly unknown[]];
  const titles = titleColumn === undefined ? [] : valuesOf(titleColumn);
  return ids.map((id, row) => speakerAndDay(id, names[row], times[row], titles[row]));
}

/** The speaker and the day of a row, from the values of its columns. */
export function speakerAndDay(personid: unknown, person: unknown, begintime: unknown, titles: unknown): SpeakerAndDay {
  return { personid: personId(personid), person: textOf(person), titles: textOf(titles), day: dayOf(begintime) };
}

function checkColumns(columns: readonly string[]): void {
  const missing = NEEDED.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new ValidationError(`invalid frame: missing columns ${missing.join(", ")}.`, {
      hint: "Give a frame of archive.mentions(…) or archive.speechesOnBill(…) with these columns.",
      parameter: "frame",
    });
  }
  const taken = MEMBER_COLUMNS.filter((name) => columns.includes(name));
  if (taken.length > 0) {
    throw new ValidationError(`invalid frame: it already has columns ${taken.join(", ")}.`, {
      hint: `Rename or drop them, for example frame.drop("${taken[0]}").`,
      parameter: "frame",
    });
  }
}

/** The column with the titles of the speaker. A plain `title` is that of the program, except in speeches on a bill. */
function titleColumnOf(columns: readonly string[]): string | undefined {
  if (columns.includes("speaker_from") && columns.includes("title")) return "title";
  return columns.find((name) => name.toLowerCase().replace(/[_-]/g, "") === "persontitle");
}

function polarsValues(frame: PolarsFrame, name: string): readonly unknown[] {
  const column = frame.getColumn(name);
  const { variant } = column.dtype;
  if (variant === "Datetime") return [...column.cast(pl.Datetime("ms")).cast(pl.Int64).toArray()];
  // As text, a date keeps its day, and an id is exact.
  if (variant === "Date") return [...column.cast(pl.Utf8).toArray()];
  return [...column.toArray()];
}

function personId(value: unknown): number | null {
  if (
    typeof value !== "number" &&
    typeof value !== "bigint" &&
    !(typeof value === "string" && /^\d{1,15}$/.test(value))
  ) {
    return null;
  }
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function dayOf(value: unknown): string | null {
  if (typeof value === "number") return dayInWashington(value);
  if (value instanceof Date) return dayInWashington(value.getTime());
  if (typeof value !== "string") return null;
  const day = /^\d{4}-\d\d-\d\d$/.test(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : day ? value : dayInWashington(time);
}

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
function dayInWashington(time: number): string | null {
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
