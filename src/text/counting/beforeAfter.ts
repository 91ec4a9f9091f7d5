import { faulty, invalid, positiveInteger } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { timesOf } from "../source/columns.js";

/** The days before and after an event. */
export interface BeforeAfter {
  /** Midnight UTC of the first day after, in milliseconds since 1970. */
  readonly date: number;
  readonly days: number;
}

const DAY = 86_400_000;
/** The column of "before" and "after". */
export const SIDE = "period";

export function checkedEvent(date: unknown, window: unknown): BeforeAfter {
  const time = typeof date === "string" && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(time)) throw invalid("date", date, 'Give the first day after it, for example "2022-08-16".');
  return { date: time, days: positiveInteger("window", window, 90) };
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The rows in the window, with a column that says on which side they are. */
export function withSide(frame: PolarsFrame, { date, days }: BeforeAfter): PolarsFrame {
  const sides = timesOf(frame).map((time) => {
    if (time === null || time < date - days * DAY || time >= date + days * DAY) return null;
    return time < date ? "before" : "after";
  });
  return frame.withColumns(pl.Series(SIDE, sides, pl.Utf8)).filter(pl.col(SIDE).isNotNull());
}

/** @throws ValidationError if the search asked for only a part of the window: its days without rows would look silent */
export function refuseNarrowRange({ date, days }: BeforeAfter, provenance: Provenance | undefined): void {
  const { mindate, maxdate } = provenance?.parameters ?? {};
  const [first, last] = [dayOf(date - days * DAY), dayOf(date + (days - 1) * DAY)];
  const isNarrow = (typeof mindate === "string" && mindate > first) || (typeof maxdate === "string" && maxdate < last);
  if (!isNarrow) return;
  const range = `${first} to ${last}, and the source covers ${mindate ?? "…"} to ${maxdate ?? "…"}`;
  throw faulty("window", `${days}. It is ${range}`, "Give fewer days, or search all days of the window.");
}
