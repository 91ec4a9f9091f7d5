import { invalid } from "../../errors/validators.js";
import { operations } from "../../service/operations/operations.js";
import { billInTable } from "../../speeches/givenBill.js";
import type { BillQuery, BillRowLike } from "../../speeches/speechesOptions.js";
import type { DanfoFrame, PolarsFrame } from "../../util/frameTypes.js";
import { isPlainObject } from "../../util/isObject.js";
import { aboutRow, labelsOf, misspelled, tableRows } from "./rows.js";

/**
 * A bill with labels of your own.
 *
 * @example
 * const bill: CorpusBill = { congress: 117, type: "hr", number: 5376, topic: "climate" };
 */
export interface CorpusBill {
  /** The title. It is searched as a phrase: "Inflation Reduction Act". */
  title?: string | null | undefined;
  /** The number with its prefix, in any spelling: "H.R. 5376", "hr5376". With a type, digits are enough. */
  number?: string | number | null | undefined;
  /** What the number is: hr, s, hres, sres, hjres, sjres, hconres, sconres, hamdt or samdt. */
  type?: string | null | undefined;
  /** The Congress, 117 or "117th". It limits the days. Default: every day. */
  congress?: number | string | null | undefined;
  /** A label of your own. */
  readonly [label: string]: unknown;
}

/**
 * Bills: a list, a frame of `archive.bills(…)`, or the path of a CSV file with the columns of either: `title`, `number` and `congress`, or
 * `billtitle`, `billnumber` and `congress`. With a column `type` ("hr", "sjres"), the number may be digits alone. Any other column is kept
 * as a label.
 */
export type CorpusBills = ReadonlyArray<BillQuery | BillRowLike | CorpusBill> | PolarsFrame | DanfoFrame | string;

/** A bill for `speechesOnBill`, and its labels. */
export interface LabelledBill {
  readonly bill: unknown;
  readonly labels: Readonly<Record<string, string>>;
}

const GIVE =
  'the path of a CSV file with the columns title or number, and congress; or a list, for example [{ number: "H.R. 5376", congress: 117 }].';
const ADD =
  "Add a line for each bill; below the header title,number,congress for example: Inflation Reduction Act,H.R. 5376,117.";

/** Columns that distinguish a table of bills from one of searches. */
const TELLING = ["title", "number", "billtitle", "billnumber"];
/** Columns that the searches for a bill already have. */
const OF_SEARCHES: readonly string[] = [...Object.keys(operations.mentions.parameters), "bill", "form"];

/**
 * Reads bills and their labels.
 *
 * @throws ValidationError for a column that is misspelled, or that the searches for bills already have
 */
export async function readBills(given: CorpusBills): Promise<LabelledBill[]> {
  const rows = await tableRows("bills", given, GIVE, ADD);
  if (typeof given === "string") checkColumns(given, rows[0] as object);
  return rows.map((row, at) => {
    if (!isPlainObject(row)) return { bill: row, labels: {} };
    const { bill, own } = billInTable(row);
    return { bill, labels: aboutRow("bill", at, row, () => labelsOf(row, own, checkLabel)) };
  });
}

function checkLabel(name: string): void {
  if (OF_SEARCHES.includes(name))
    throw invalid("label", name, "The searches for bills have a column of this name. Give it another one.");
}

function checkColumns(path: string, first: object): void {
  const hints = {
    query:
      "It looks like a list of searches: it has the column query. Give it to openCorpus as searches, or leave out --bills on the command line.",
    variants:
      "A cell cannot hold a list: leave the column variants out. For queries of your own, give a list of bills.",
  };
  for (const [column, hint] of Object.entries(hints)) if (column in first) throw invalid("bills", path, hint);
}

/** The column that shows that the first row of a table of searches is a bill. */
export function billColumn(row: unknown): string | undefined {
  if (!isPlainObject(row)) return undefined;
  const names = Object.keys(row);
  if (names.some((name) => misspelled(name, ["query"]) !== undefined)) return undefined;
  return names.find((name) => misspelled(name, TELLING) !== undefined);
}
