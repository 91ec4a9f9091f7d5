import { checkColumns, refuseColumns } from "../errors/validators.js";
import { isPolarsFrame } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { MEMBER_COLUMNS } from "./memberColumns.js";
import { speakerId } from "./speakerId.js";

export interface RowSpeaker {
  /** Null where nobody is identified. */
  readonly personid: number | null;
  readonly person: string | null;
  /** Titles from a column of their own. */
  readonly titles: string | null;
  /** `yyyy-mm-dd` in Washington; null if the row has none. */
  readonly day: string | null;
}

/** The speaker and the day of one row as the service sends it. */
export function rowSpeaker(row: Readonly<Record<string, unknown>>): RowSpeaker {
  const { personid, person, begintime } = row;
  return { personid: personId(personid), person: textOf(person), titles: null, day: dayOf(begintime) };
}

const NEEDED = ["personid", "person", "begintime"];

/**
 * The speaker and the day of every row of a frame.
 *
 * @throws ValidationError for a frame without the columns `personid`, `person` and `begintime`, or with a column that would be added
 */
export function rowSpeakers(frame: PolarsFrame | DanfoFrame): RowSpeaker[] {
  const columns = frame.columns as readonly string[];
  checkColumns(columns, NEEDED, "archive.mentions(…) or archive.speechesOnBill(…) with these columns");
  refuseColumns(columns, MEMBER_COLUMNS);
  const titleColumn = titleColumnOf(columns);
  const whole = isPolarsFrame(frame) ? (frame as PolarsFrame) : toDataFrame(frame as DanfoFrame);
  const [ids = [], names = [], times = []] = NEEDED.map((name) => rawValues(whole, name));
  const titles = titleColumn === undefined ? [] : rawValues(whole, titleColumn);
  return ids.map((id, row) => ({
    personid: personId(id),
    person: textOf(names[row]),
    titles: textOf(titles[row]),
    day: dayOf(times[row]),
  }));
}

/** The column with the titles of the speaker. A plain `title` is that of the program, except in speeches on a bill. */
function titleColumnOf(columns: readonly string[]): string | undefined {
  if (columns.includes("speaker_from") && columns.includes("title")) return "title";
  return columns.find((name) => name.toLowerCase().replace(/[_-]/g, "") === "persontitle");
}

function rawValues(frame: PolarsFrame, name: string): readonly unknown[] {
  const column = frame.getColumn(name);
  const { variant } = column.dtype;
  if (variant === "Datetime") return [...column.cast(pl.Datetime("ms")).cast(pl.Int64).toArray()];
  // As text, a date keeps its day.
  return [...(variant === "Date" ? column.cast(pl.Utf8) : column).toArray()];
}

function personId(value: unknown): number | null {
  const id = Number(speakerId(value) ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function dayOf(value: unknown): string | null {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value))
    return Number.isNaN(Date.parse(value)) ? null : value;
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" || typeof time === "bigint" ? dayInWashington(Number(time)) : null;
}

const HOUR = 3_600_000;
/** Writes days as `yyyy-mm-dd`. */
const WASHINGTON = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/New_York" });
/** Days with a year of four digits compare as text. */
const [MIN_TIME, MAX_TIME] = [Date.parse("1000-01-02T00:00:00Z"), Date.parse("9999-01-01T00:00:00Z")];
/** By hour: Washington is a whole number of hours behind UTC. */
const days = new Map<number, string>();

/**
 * The day in Washington of a time: Congress keeps the days of its clocks, and an evening session there is on the next day in UTC.
 *
 * @param time milliseconds since 1970
 * @returns `yyyy-mm-dd`; null for a time that is not a number or of no year from 1000 to 9998
 */
function dayInWashington(time: number): string | null {
  if (!(time >= MIN_TIME && time < MAX_TIME)) return null;
  const hour = Math.floor(time / HOUR);
  const day = days.get(hour) ?? WASHINGTON.format(hour * HOUR);
  days.set(hour, day);
  return day;
}
