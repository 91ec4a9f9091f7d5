import { faulty, invalid, refuseColumns, show } from "../errors/validators.js";
import { engineOf, withColumns } from "../frames/engine.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { type ResultColumn, resultFrame } from "../frames/resultFrame.js";
import { toRecords } from "../frames/toRecords.js";
import { parseTimestamp } from "../frames/typeFlags.js";
import { readInputFile } from "../fs/readInputFile.js";
import { userPath } from "../fs/userPath.js";
import { readTable } from "../tables/readTable.js";
import { congressNumber } from "../util/congress.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { isObject } from "../util/isObject.js";
import { readBillNumber } from "./judge/billKinds.js";
import { kindsOf } from "./queryVariants.js";

/**
 * The columns of {@link billsOf}, each with the members that it is read from, the first one that is there: those of the current bill status
 * and of the API, of the versions before (`billNumber`, `primarySubject`), and of tables.
 */
const COLUMNS = {
  congress: ["congress"],
  type: ["type", "billType", "bill_type"],
  number: ["number", "billNumber", "bill"],
  title: ["title", "official_title", "short_title"],
  sponsor: ["sponsors.fullName", "sponsors.item.fullName", "sponsor.name", "sponsor"],
  sponsor_bioguide: ["sponsors.bioguideId", "sponsors.item.bioguideId", "sponsor.bioguide_id", "sponsor_bioguide"],
  policy_area: ["policyArea.name", "primarySubject.name", "subjects_top_term", "policy_area"],
  introduced: ["introducedDate", "introduced_at", "introduced"],
  latest_action: ["latestAction.text", "latest_action"],
  latest_action_date: ["latestAction.actionDate", "latest_action_date"],
} as const;

/** Ten times the bill status of a whole Congress. */
const MAX_BYTES = 2 ** 29;

type Column = keyof typeof COLUMNS;

const HINT =
  "Give the path of a file of bill status: JSON with a bill or a list of bills, or CSV with congress, type and number.";

/**
 * Reads bills from a file of bill status, one row per bill: `congress`, `type` (`"hr"`, `"sjres"`), `number`, `title`,
 * `sponsor`, `sponsor_bioguide`, `policy_area`, `introduced`, `latest_action` and `latest_action_date`. What the file does not have is null.
 *
 * JSON: bills with the members of the bill status of Congress (`congress`, `type`, `number`, `title`, `sponsors`, `policyArea`,
 * `introducedDate`, `latestAction`), one or a list, as api.congress.gov sends them or as converters write the XML of govinfo
 * (`billStatus.bill`, lists in `item`). CSV: the columns above or these members (`latestAction.text`, `latestAction_text`); `number` may
 * have its prefix ("H.R. 5376"). Several files: `pl.concat(await Promise.all(paths.map(billsOf)))`.
 *
 * @param path a file ending in `.json` or `.csv`
 * @throws ValidationError for a file that cannot be read, or a bill without Congress, type or number
 * @example
 * const bills = await billsOf("bills.csv");
 * const spoken = withBills(await archive.speechesOnBill({ title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 }), bills);
 */
export async function billsOf(path: string): Promise<PolarsFrame> {
  const rows = (await rowsOf(userPath("path", path, "bills.csv"))).map((row, at) => readBill(row, at));
  if (rows.length === 0) throw invalid("path", path, `The file has no bills. ${HINT}`);
  return resultFrame(Object.keys(COLUMNS).map((name) => columnOf(name as Column, rows)));
}

type Bill = Readonly<Record<Column, string | number | null>>;

async function rowsOf(path: string): Promise<readonly unknown[]> {
  try {
    if (!/\.json$/i.test(path)) return toRecords((await readTable(path, { asText: true })).frame);
    const text = readInputFile(path, MAX_BYTES).toString();
    return billsIn(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split("\n")[0] as string).slice(0, 200) : "unreadable";
    throw invalid("path", path, `It cannot be read (${problem.replace(/\.$/, "")}). ${HINT}`);
  }
}

/** The bills in parsed JSON, without the elements that wrap them. */
function billsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => billsIn(each));
  const inner = isObject(value) && [value.billStatus, value.bills, value.bill, value.item].find(isHolder);
  return inner ? billsIn(inner) : [value];
}

function readBill(row: unknown, at: number): Bill {
  const bill = Object.fromEntries(
    Object.entries(COLUMNS).map(([name, paths]) => [name, firstOf(row, paths)]),
  ) as Record<Column, string | null>;
  const congress = congressNumber(bill.congress);
  const read = readBillNumber(`${bill.type ?? ""} ${digitsOf(bill)}`);
  const [kind, ...others] = read?.kinds ?? [];
  const hint = `It needs congress, type ("hr", "sjres") and number. ${HINT}`;
  if (congress === undefined || kind === undefined || others.length > 0)
    throw faulty("path", `bill ${at + 1} is ${show(row)}`, hint);
  return { ...bill, congress, type: kind, number: Number(read?.number) };
}

/** With a type, the number alone: "H.R. 5376" is 5376. */
function digitsOf({ type, number }: Readonly<Record<"type" | "number", string | null>>): string {
  return type === null ? (number ?? "") : (readBillNumber(number ?? "")?.number ?? "");
}

function firstOf(row: unknown, paths: readonly string[]): string | null {
  for (const path of paths) {
    const nested = path.split(".").reduce<unknown>(memberOf, row);
    for (const value of [nested, memberOf(row, path), memberOf(row, path.replaceAll(".", "_"))].map(first)) {
      if (typeof value === "number" || (typeof value === "string" && value !== ""))
        // pandas writes whole numbers like this if the column has gaps.
        return String(value).replace(/^(\d+)\.0$/, "$1");
    }
  }
  return null;
}

function memberOf(value: unknown, name: string): unknown {
  const holder = first(value);
  return isHolder(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** Some converters of XML make every element a list. */
function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function columnOf(name: Column, rows: readonly Bill[]): ResultColumn {
  const values = rows.map((row) => row[name]);
  if (name === "congress" || name === "number") return { name, values, dtype: pl.Int64 };
  if (name !== "introduced" && name !== "latest_action_date") return { name, values, dtype: pl.Utf8 };
  const days = values.map((value) => parseTimestamp(String(value).slice(0, 10))?.slice(0, 10) ?? null);
  return { name, values: days, dtype: pl.Date };
}

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
  const added = ADDED.map((name) => `status_${name}`);
  refuseColumns(columns, added);
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
  const series = ADDED.map((name, at) => valuesAt(bills.getColumn(name), positions).rename(added[at] as string));
  const joined = withColumns(frame, pl.DataFrame(series));
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
