import { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { engineOf, frameRecords, inEngine } from "../frames/engine.js";
import { irregularFrame } from "../frames/irregularFrame.js";
import type { PolarsFrame } from "../frames/polars.js";
import { TypeFlags } from "../frames/typeFlags.js";
import type { DanfoFrame } from "../util/frameTypes.js";

const SPEAKER = {
  bill_title: TypeFlags.string,
  bill_number: TypeFlags.string,
  bill_congress: TypeFlags.int,
  personid: TypeFlags.int,
  name: TypeFlags.string,
  title: TypeFlags.string,
};
const DECLARED = new Map<string, number>(
  Object.entries({ ...SPEAKER, speeches: TypeFlags.int, first: TypeFlags.datetime, last: TypeFlags.datetime }),
);

type Timestamp = Date | string;

interface SummaryRow {
  readonly [column: string]: unknown;
  speeches: number;
  first: Timestamp | null;
  last: Timestamp | null;
}

/**
 * Counts speeches: one row per bill and speaker of a frame of `archive.speechesOnBill`, with the number of speeches and
 * the first and last date, in the order of the frame. Filter the frame first to count a part of it.
 *
 * @returns a frame of the same library with the columns `bill_title`, `bill_number`, `bill_congress`, `personid`, `name`,
 * `title`, `speeches`, `first`, `last`
 * @throws ValidationError for a frame without the columns of `archive.speechesOnBill`
 * @example
 * const frame = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117 });
 * summarizeSpeeches(frame).columns.slice(4); //=> ["name", "title", "speeches", "first", "last"]
 */
export function summarizeSpeeches<F extends PolarsFrame | DanfoFrame>(frame: F): F {
  const engine = engineOf(frame);
  if (engine === undefined) throw invalid("frame", frame, "Give a frame of archive.speechesOnBill(…).");
  const columns = (frame as { readonly columns: readonly string[] }).columns;
  const missing = [...Object.keys(SPEAKER), "begintime"].filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw new ValidationError(`invalid frame: missing columns ${missing.join(", ")}.`, {
      hint: "Give a frame of archive.speechesOnBill(…) with these columns.",
      parameter: "frame",
    });
  }
  const groups = new Map<string, SummaryRow>();
  for (const row of frameRecords(frame)) {
    const speaker = Object.fromEntries(Object.keys(SPEAKER).map((column) => [column, row[column] ?? null]));
    const key = JSON.stringify(Object.values(speaker), (_name, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    const group = groups.get(key) ?? { ...speaker, speeches: 0, first: null, last: null };
    group.speeches++;
    const time = (row.begintime ?? null) as Timestamp | null;
    if (time !== null) {
      if (group.first === null || time < group.first) group.first = time;
      if (group.last === null || time > group.last) group.last = time;
    }
    groups.set(key, group);
  }
  return inEngine(irregularFrame(DECLARED, [...groups.values()]), engine) as F;
}
