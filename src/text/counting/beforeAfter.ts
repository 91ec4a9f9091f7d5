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

export function checkedEvent(date: unknown, window: unknown, name = "date"): BeforeAfter {
  const time = typeof date === "string" && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(time)) throw invalid(name, date, 'Give the first day after it, for example "2022-08-16".');
  return { date: time, days: positiveInteger("window", window, 90) };
}

/** Checks placebo dates, whose windows must not contain the event. */
export function checkedPlacebos(dates: unknown, event: BeforeAfter | undefined): readonly BeforeAfter[] {
  const example = 'For example design: "before/after", date: "2022-08-16", window: 40, placebo: ["2022-10-01"].';
  if (!Array.isArray(dates) || dates.length === 0 || event === undefined) throw invalid("placebo", dates, example);
  return dates.map((date) => {
    const placebo = checkedEvent(date, event.days, "placebo");
    if (Math.abs(placebo.date - event.date) >= event.days * DAY) return placebo;
    throw invalid("placebo", date, `The event is within its window: give a date at least ${event.days} days away.`);
  });
}

/**
 * The rows of an event and those of placebo dates, with their dates; the sentences of the event say at how many placebo dates the
 * same comparison finds a difference.
 *
 * @param dates the event first
 */
export function withPlacebos(
  found: PolarsFrame,
  placebos: readonly PolarsFrame[],
  dates: readonly BeforeAfter[],
): PolarsFrame {
  const keyOf = (row: Record<string, unknown>) => JSON.stringify([row.pattern, Object.values(row)[0]]);
  const tests = placebos.map((frame) => frame.toRecords().filter(({ sentence }) => sentence !== null));
  const sentences = found.toRecords().map((row) => {
    if (row.sentence === null) return null;
    const same = tests.map((rows) => rows.find((one) => keyOf(one) === keyOf(row))?.p as number | null | undefined);
    const few = dates.slice(1).filter((_, at) => (same[at] ?? 1) < LEVEL);
    const where = few.length === 0 ? "" : ` (${few.map(({ date }) => dayOf(date)).join(", ")})`;
    return `${row.sentence} At ${few.length} of ${tests.length} placebo dates p is below ${LEVEL}${where}.`;
  });
  const all = [found.withColumns(pl.Series("sentence", sentences, pl.Utf8)), ...placebos];
  const dated = all.map((frame, at) => {
    const date = dayOf((dates[at] as BeforeAfter).date);
    return frame.withColumns(pl.lit(date).alias("date"), pl.lit(at > 0).alias("placebo"));
  });
  return pl.concat(dated);
}

/** A placebo date with a smaller p counts as a difference. */
const LEVEL = 0.05;

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
