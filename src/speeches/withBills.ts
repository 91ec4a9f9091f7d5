import { invalid, refuseColumns } from "../errors/validators.js";
import { engineOf, withColumns } from "../frames/engine.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toRecords } from "../frames/toRecords.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { readBillNumber } from "./judge/billKinds.js";
import { kindsOf } from "./numberVariants.js";

/** The columns that name the bill of a row: those of speeches, those of bills. */
const KEYS = [
  { congress: "bill_congress", number: "bill_number", title: "bill_title" },
  { congress: "congress", number: "billnumber", title: "billtitle" },
] as const;

const ADDED = "type title sponsor sponsor_bioguide policy_area introduced latest_action latest_action_date".split(" ");

/**
 * Adds what {@link billsOf} knows of the bill of every row: `status_type`, `status_title`, `status_sponsor`, `status_sponsor_bioguide`,
 * `status_policy_area`, `status_introduced`, `status_latest_action` and `status_latest_action_date`. Rows are never added, lost or
 * reordered; those of other bills have nulls.
 *
 * Bills are joined by Congress, type and number. A row of `archive.bills` has a number without type: its link says the type, or its title
 * does; if several types are possible, the bill is joined if the file has only one of them.
 *
 * @param frame a frame of `archive.bills(…)` or `archive.speechesOnBill(…)`
 * @param bills a frame of `billsOf`
 * @returns a frame of the same library
 * @throws ValidationError for a frame without the columns of a bill, or with one of the columns to add
 * @example
 * const found = withBills(await archive.bills("infrastructure"), await billsOf("bills.csv"));
 */
export function withBills<F extends PolarsFrame | DanfoFrame>(frame: F, bills: PolarsFrame): F {
  const columns = engineOf(frame) === undefined ? [] : (frame.columns as readonly string[]);
  const keys = KEYS.find(({ congress, number }) => columns.includes(congress) && columns.includes(number));
  if (keys === undefined)
    throw invalid("frame", frame, "Give a frame of archive.bills(…) or archive.speechesOnBill(…).");
  const missing = ["congress", "number", ...ADDED].filter((name) => !bills?.columns?.includes(name));
  if (missing.length > 0) throw invalid("bills", bills, "Give a frame of billsOf(…).");
  refuseColumns(
    columns,
    ADDED.map((name) => `status_${name}`),
  );
  const known = new Map(toRecords(bills).map((bill, at) => [keyOf(bill.congress, bill.type, bill.number), at]));
  // The position after the last bill stands for none.
  const positions = toRecords(frame).map((row) => {
    const read = readBillNumber(String(row[keys.number] ?? ""));
    if (read === undefined) return bills.height;
    const title = row[keys.title];
    const kinds =
      read.kinds.length > 0
        ? read.kinds
        : kindsOf(row.link, read.number, typeof title === "string" ? title : undefined);
    const found = kinds.flatMap((kind) => known.get(keyOf(row[keys.congress], kind, read.number)) ?? []);
    return found.length === 1 ? (found[0] as number) : bills.height;
  });
  const added = pl.DataFrame(ADDED.map((name) => valuesAt(bills.getColumn(name), positions).rename(`status_${name}`)));
  const joined = withColumns(frame, added);
  const provenance = provenanceOf(frame);
  return setProvenance(joined, provenance && derived(provenance, stepOf("withBills", "columns", [])));
}

function keyOf(congress: unknown, type: unknown, number: unknown): string {
  return `${congress} ${type} ${number}`;
}

function valuesAt(column: pl.Series, positions: readonly number[]): pl.Series {
  const nothing = pl.Series(column.name, [null], pl.Utf8).cast(column.dtype);
  return pl.concat([column, nothing]).gather([...positions]);
}
