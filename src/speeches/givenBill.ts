import { checkCongress, invalid, knownKeys, nonEmptyString, show } from "../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../frames/engine.js";
import { toRecords } from "../frames/toRecords.js";
import { TYPOGRAPHIC } from "../service/operations/parameters.js";
import { isObject } from "../util/isObject.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { ALL_KINDS, BILL_KINDS, type BillKind, readBillNumber } from "./judge/billKinds.js";
import { titlePatterns } from "./judge/titlePattern.js";

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

type Members = Readonly<Record<string, unknown>>;

export const BILL_MEMBERS = ["title", "number", "congress", "variants"];
const ROW_MEMBERS = ["billtitle", "billnumber", "congress", "id", "link"];
const HINT =
  'Give { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 }, a row of archive.bills(…), or a list or frame of these.';

/**
 * The bill in a row of a frame. With a type ("hr", "sjres") the number may be digits alone.
 *
 * @throws ValidationError for an unknown type
 */
function billInRow(row: Members): Members {
  const [names, number] = isBillRow(row) ? [ROW_MEMBERS, "billnumber"] : [BILL_MEMBERS, "number"];
  const bill = Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
  const { type } = row;
  if (type !== undefined && type !== null) bill[number] = numberOfType(type, bill[number]);
  return bill;
}

/**
 * Splits the arguments of `speechesOnBill` into bills and options, which include the members of a single bill.
 *
 * @throws ValidationError for anything but a bill, a row of bills, or a list or frame of these
 */
export function splitArguments(
  first: unknown,
  second: unknown,
): { readonly bills: readonly GivenBill[]; readonly isList: boolean; readonly options: Members } {
  const options = membersOf("options", second ?? {}, 'Give an object, for example { format: "csv" }.');
  // A frame has a member for each of its columns, so it could pass for a row.
  const list = isPolarsFrame(first) ? toRecords(first).map(billInRow) : first;
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
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ""));
  return {
    title: given.billtitle,
    number: given.billnumber,
    congress: given.congress,
    link: members.link,
    isRow: true,
  };
}

function isBillRow(members: Members): boolean {
  return "billtitle" in members || "billnumber" in members;
}

function membersOf(name: string, value: unknown, hint: string): Members {
  refuseDanfo(value, name);
  if (isObject(value) && !isPolarsFrame(value)) return withoutNulls(value);
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
      `Give one of ${ALL_KINDS.join(", ")}; or leave the column out, and give number with its prefix: "H.R. 5376".`,
    );
  }
  if (number === undefined || number === null || number === "") return number;
  const read = readBillNumber(String(number));
  if (read === undefined) throw invalid("number", number, "Give digits, or prefix and digits: 5376 or H.R. 5376.");
  if (read.kinds.length === 0) return prefixed(kind, read.number);
  if (read.kinds.includes(kind)) return number;
  throw invalid("type", type, `The number is ${JSON.stringify(number)}. Correct one of them.`);
}

function prefixed(kind: BillKind, number: string): string {
  const forms = BILL_KINDS[kind].forms.at(-1) ?? [];
  return (forms.find((form) => /^[HS]/.test(form)) ?? "#").replace("#", number);
}

/** A single word is a subject, not a title. */
export const MIN_TITLE_WORDS = 2;
/** Longer than the title of any bill. Longer queries do not fit into every URL. */
const MAX_LENGTH = 2000;
/** Longer than the number of any bill in any spelling. */
const MAX_NUMBER_LENGTH = 100;
/** Characters that a search may take for operators, control characters, and lone surrogates. */
export const NOT_SEARCHED = new RegExp(String.raw`["*?\\]|(?!\s)\p{Cc}|\p{Cs}|${TYPOGRAPHIC.source}`, "gu");
/** What the number of a bill may consist of: "S. Amdt. #5,194", "P.L. 117-169". */
const NUMBER_CHARACTERS = /^[\p{L}\d\s.,'’#()/-]*$/u;
/** "H.R. 5 and H.R. 6", "H.R. 5, 6". */
const SEVERAL_NUMBERS = /\d\D{0,100}[a-z]\D{0,100}\d|\d[,;]\s{1,100}\d/i;

export interface CheckedBill extends GivenBill {
  readonly title: string | undefined;
  readonly number: string | undefined;
  readonly congress: number | undefined;
  readonly variants: readonly string[] | undefined;
}

/**
 * Checks a bill. Rows of bills, which nobody typed, may have any title.
 *
 * @throws ValidationError unless there is something to search for
 */
export function checkBill(given: GivenBill): CheckedBill {
  const isRow = given.isRow === true;
  const title = given.title === undefined ? undefined : nonEmptyString("title", given.title, "Inflation Reduction Act");
  const number = given.number === undefined ? undefined : numberText(given.number);
  const congress = given.congress === undefined ? undefined : checkCongress(given.congress);
  const variants = given.variants === undefined ? undefined : checkQueries(given.variants);
  if (variants === undefined) {
    if (title === undefined && number === undefined) {
      const example = '{ title: "Inflation Reduction Act", number: "H.R. 5376" }';
      throw invalid("bill", undefined, `Give its title, its number or both, for example ${example}.`);
    }
    if (title !== undefined) checkTitle(title, isRow);
    if (number !== undefined) checkNumber(number, title !== undefined || isRow);
  }
  return { ...given, title, number, congress, variants };
}

function numberText(value: unknown): string {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return String(value);
  return nonEmptyString("number", value, "H.R. 5376");
}

function checkTitle(title: string, isRow: boolean): void {
  if (title.length > MAX_LENGTH) throw invalid("title", title, `A title has at most ${MAX_LENGTH} characters.`);
  if (isRow) return;
  const [mark] = title.match(NOT_SEARCHED) ?? [];
  const own = "For a query of your own, use variants.";
  if (mark !== undefined)
    throw invalid("title", title, `A title is searched word for word, without ${show(mark)}. ${own}`);
  if (titlePatterns(title).flatMap(({ words }) => words).length < MIN_TITLE_WORDS) {
    throw invalid("title", title, `Give two words or more, for example title: "Inflation Reduction Act". ${own}`);
  }
}

function checkNumber(number: string, mayBeBare: boolean): void {
  const read = readBillNumber(number);
  const isReadable = number.length <= MAX_NUMBER_LENGTH && /\d/.test(number) && NUMBER_CHARACTERS.test(number);
  if (!isReadable || read?.number === "0") {
    throw invalid("number", number, 'Give prefix and digits, for example number: "H.R. 5376".');
  }
  if (read === undefined && SEVERAL_NUMBERS.test(number)) {
    const example = '[{ number: "H.R. 5" }, { number: "S. 6" }]';
    throw invalid("number", number, `Give one number per bill, for example ${example}.`);
  }
  if (!mayBeBare && read?.kinds.length === 0) {
    const example = `number: "H.R. ${number.trim()}"`;
    throw invalid("number", number, `Digits alone match anything. Add the prefix, for example ${example}, or a title.`);
  }
}

function checkQueries(variants: unknown): readonly string[] {
  const isQuery = (query: unknown) =>
    typeof query === "string" &&
    query.length <= MAX_LENGTH &&
    /[\p{L}\p{Nd}]/u.test(query) &&
    !/(?!\s)\p{Cc}|\p{Cs}/u.test(query);
  if (Array.isArray(variants) && variants.length > 0 && variants.every(isQuery)) return variants;
  const hint = `Give a list of queries of at most ${MAX_LENGTH} characters, for example variants: `;
  throw invalid("variants", variants, `${hint}['"Inflation Reduction Act"', '"I.R.A."'].`);
}
