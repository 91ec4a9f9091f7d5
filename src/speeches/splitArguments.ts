import { invalid, knownKeys } from "../errors/validators.js";
import { engineOf } from "../frames/engine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { toRecords } from "../frames/toRecords.js";
import { isObject } from "../util/isObject.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { ALL_KINDS, BILL_KINDS, type BillKind, readBillNumber } from "./judge/billKinds.js";

/** A bill as the caller gave it. Missing members, and null or empty ones of a row, are `undefined`. */
export interface GivenBill {
  readonly title?: unknown;
  readonly number?: unknown;
  readonly congress?: unknown;
  readonly variants?: unknown;
  /** The link of a row of bills, which may tell the chamber. */
  readonly link?: unknown;
  /** A row of bills: nobody typed its title. */
  readonly isRow?: boolean;
}

/** The arguments of `speechesOnBill`, split into bills and options. */
export interface SpeechesArguments {
  readonly bills: readonly GivenBill[];
  readonly isList: boolean;
  /** The options. For a single bill they include its own members. */
  readonly options: Members;
}

type Members = Readonly<Record<string, unknown>>;

/** What a caller says about a bill. */
export const BILL_MEMBERS = ["title", "number", "congress", "variants"];
const ROW_MEMBERS = ["billtitle", "billnumber", "congress", "id", "link"];
const HINT =
  'Give { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 }, a row of archive.bills(…), or a list or frame of these.';

/**
 * The bill in a row of a table, and the members that a bill has in tables of its layout. With a type ("hr", "sjres") the number may be
 * digits alone.
 *
 * @throws ValidationError for an unknown type
 */
export function billInTable(row: Members): { readonly bill: Members; readonly own: readonly string[] } {
  const [names, number] = isBillRow(row) ? [ROW_MEMBERS, "billnumber"] : [BILL_MEMBERS, "number"];
  const bill = Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
  const { type } = row;
  if (type !== undefined && type !== null) bill[number] = numberOfType(type, bill[number]);
  return { bill, own: [...names, "type"] };
}

/**
 * Splits the arguments of `speechesOnBill` into bills and options.
 *
 * @throws ValidationError for anything but a bill, a row of bills, or a list or frame of these
 */
export function splitArguments(first: unknown, second: unknown): SpeechesArguments {
  const options = membersOf("options", second ?? {}, 'Give an object, for example { format: "csv" }.');
  // A frame has a member for each of its columns, so it could pass for a row.
  const list =
    engineOf(first) === undefined ? first : toRecords(first as PolarsFrame).map((row) => billInTable(row).bill);
  if (Array.isArray(list)) {
    if (options.variants !== undefined) {
      throw invalid("variants", options.variants, "Give them with their bill: [{ title, variants }, …].");
    }
    return { bills: list.map((bill, at) => readBill(bill, `bills[${at}]`)), isList: true, options };
  }
  const given = membersOf("bill", first, HINT);
  const members: Record<string, unknown> = isBillRow(given) ? { bill: given } : { ...given };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && members[name] !== undefined) throw invalid(name, value, "It is given twice.");
    members[name] ??= value;
  }
  const base = members.bill === undefined ? {} : readBill(members.bill, "bill");
  const own = BILL_MEMBERS.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]]));
  return { bills: [{ ...base, ...Object.fromEntries(own) }], isList: false, options: members };
}

function readBill(bill: unknown, name: string): GivenBill {
  const members = membersOf(name, bill, HINT);
  if (!isBillRow(members)) {
    knownKeys(members, BILL_MEMBERS, "member of a bill");
    return members;
  }
  const known = (value: unknown) => (value === "" ? undefined : value);
  const { billtitle, billnumber, congress, link } = members;
  return { title: known(billtitle), number: known(billnumber), congress: known(congress), link, isRow: true };
}

function isBillRow(members: Members): boolean {
  return "billtitle" in members || "billnumber" in members;
}

function membersOf(name: string, value: unknown, hint: string): Members {
  if (isObject(value) && engineOf(value) === undefined) return withoutNulls(value);
  throw invalid(name, value, hint);
}

/**
 * The number of a bill whose type is in a column of its own. A number that has a prefix stays as it is.
 *
 * @param type in any spelling: `"hr"`, `"HJRES"`
 * @throws ValidationError for an unknown type, or one that contradicts the prefix of the number
 * @example
 * numberOfType("hr", "5376");      //=> "H.R. 5376"
 * numberOfType("SJRES", 10);       //=> "S.J. Res. 10"
 * numberOfType("hr", "H.R. 5376"); //=> "H.R. 5376"
 */
function numberOfType(type: unknown, number: unknown): unknown {
  const [kind, ...others] = readBillNumber(`${type} 1`)?.kinds ?? [];
  if (kind === undefined || others.length > 0) {
    throw invalid(
      "type",
      type,
      `Give one of ${ALL_KINDS.join(", ")}; or leave the column out, and give number with its prefix: "H.R. 5376". To keep it as a label, give it another name.`,
    );
  }
  if (number === undefined || number === null || number === "") return number;
  const read = readBillNumber(String(number));
  if (read === undefined) throw invalid("number", number, "Give digits, or prefix and digits: 5376 or H.R. 5376.");
  if (read.kinds.length === 0) return prefixed(kind, read.number);
  if (read.kinds.includes(kind)) return number;
  throw invalid("type", type, `The number is ${JSON.stringify(number)}. Correct one of them.`);
}

/** A number as one types it: "H.R. 5376". */
function prefixed(kind: BillKind, number: string): string {
  const forms = BILL_KINDS[kind].forms.at(-1) ?? [];
  return (forms.find((form) => /^[HS]/.test(form)) ?? "#").replace("#", number);
}
