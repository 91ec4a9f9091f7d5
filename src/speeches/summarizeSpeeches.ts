import { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { ENGINES, type Engine, engines } from "../frames/engine.js";
import type { DanfoFrame, FrameEngine } from "../frames/frameEngine.js";
import { irregularFrame } from "../frames/irregularFrame.js";
import type { PolarsFrame } from "../frames/polars.js";
import { TypeFlags } from "../frames/typeFlags.js";

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

type Moment = Date | string;

interface SummaryRow {
  readonly [column: string]: unknown;
  speeches: number;
  first: Moment | null;
  last: Moment | null;
}

/**
 * One row per bill and speaker of a frame of `archive.speechesOnBill`, in its order: how many speeches, the first and the
 * last. It counts the rows that are there, so a frame that was filtered is counted as it is.
 *
 * @returns a frame of the same library: `bill_title`, `bill_number`, `bill_congress`, `personid`, `name`, `title`,
 * `speeches`, `first`, `last`
 * @throws ValidationError for a frame without these columns
 * @example
 * const frame = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117 });
 * summary(frame).columns.slice(4); //=> ["name", "title", "speeches", "first", "last"]
 */
export function summarizeSpeeches<F extends PolarsFrame | DanfoFrame>(frame: F): F {
  const name = engineOf(frame);
  const engine = engines[name] as FrameEngine<unknown>;
  const columns = (frame as { readonly columns: readonly string[] }).columns;
  const missing = [...Object.keys(SPEAKER), "begintime"].filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    throw new ValidationError(`invalid frame: it has no column ${missing.join(", ")}.`, {
      hint: "Give a frame of archive.speechesOnBill(…) with these columns.",
      parameter: "frame",
    });
  }
  const groups = new Map<string, SummaryRow>();
  for (const row of engine.toRecords(frame)) {
    const speaker = Object.fromEntries(Object.keys(SPEAKER).map((column) => [column, row[column] ?? null]));
    const key = JSON.stringify(Object.values(speaker), (_name, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    const group = groups.get(key) ?? { ...speaker, speeches: 0, first: null, last: null };
    group.speeches++;
    const moment = (row.begintime ?? null) as Moment | null;
    if (moment !== null) {
      if (group.first === null || moment < group.first) group.first = moment;
      if (group.last === null || moment > group.last) group.last = moment;
    }
    groups.set(key, group);
  }
  return engine.fromPolars(irregularFrame(DECLARED, [...groups.values()])) as F;
}

function engineOf(frame: unknown): Engine {
  const found = ENGINES.find((name) => (engines[name] as FrameEngine<unknown>).isFrame(frame));
  if (found === undefined) throw invalid("frame", frame, "Give a frame of archive.speechesOnBill(…).");
  return found;
}
