import { checkCongress, faulty, invalid, nonEmptyString, rejectUnknownKeys, show } from "../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../frames/engine.js";
import { toRecords } from "../frames/toRecords.js";
import { TYPOGRAPHIC } from "../service/operations/parameters.js";
import { congressNumber } from "../util/congress.js";
import { isObject, withoutNulls } from "../util/objects.js";
import { readBillNumber } from "./judge/billKinds.js";
import { titlePatterns } from "./judge/titlePattern.js";

/** A bill whose title and number can be searched. */
export interface CheckedBill {
  readonly title: string | undefined;
  readonly number: string | undefined;
  readonly congress: number | undefined;
  /** Queries of the caller. */
  readonly variants: readonly string[] | undefined;
  /** It is a row of `archive.bills`, whose title may be anything. */
  readonly isRow: boolean;
  /** The title or the number as typed, if only a part of it is searched. */
  readonly typedText: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

export const BILL_MEMBERS = ["title", "number", "congress", "variants"];
export const SPEECH_OPTIONS = ["videotypes", "chamber", "minConfidence", "inferSpeakers", "maxRequests"];
const HINT =
  'Give { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 }, a row of archive.bills(…), or a list or frame of these.';

/**
 * Splits the arguments of `speechesOnBill` into bills and options. A single bill may have the options beside its members.
 *
 * @throws ValidationError for anything but a bill, a row of bills, or a list or frame of these
 */
export function splitArguments(
  billsOrBill: unknown,
  options: unknown,
): { readonly bills: readonly CheckedBill[]; readonly isList: boolean; readonly options: Members } {
  const callOptions = membersOf("options", options ?? {}, 'Give an object, for example { chamber: "any" }.');
  // First, because a frame has a member for each column and could pass for a row.
  const list = isPolarsFrame(billsOrBill) ? toRecords(billsOrBill).map(billInRow) : billsOrBill;
  if (Array.isArray(list))
    return { bills: list.map((bill, at) => readBill(bill, `bills[${at}]`)), isList: true, options: callOptions };
  const bill = membersOf("bill", billsOrBill, HINT);
  if (isBillRow(bill)) {
    // A row may have any columns, but these were meant as options.
    const name = SPEECH_OPTIONS.find((option) => bill[option] !== undefined);
    if (name !== undefined) throw invalid(name, bill[name], "Give options after the row: speechesOnBill(row, { … }).");
    return { bills: [checkRow(bill)], isList: false, options: callOptions };
  }
  for (const [name, value] of Object.entries(callOptions))
    if (value !== undefined && bill[name] !== undefined) throw invalid(name, value, "It is given twice.");
  const all = { ...bill, ...callOptions };
  return { bills: [checkBill(all)], isList: false, options: all };
}

function readBill(bill: unknown, name: string): CheckedBill {
  const members = membersOf(name, bill, HINT);
  if (isBillRow(members)) return checkRow(members);
  rejectUnknownKeys(members, BILL_MEMBERS, "member of a bill");
  return checkBill(members);
}

function isBillRow(members: Members): boolean {
  return "billtitle" in members || "billnumber" in members;
}

function membersOf(name: string, value: unknown, hint: string): Members {
  refuseDanfo(value, name);
  if (isObject(value) && !isPolarsFrame(value)) return withoutNulls(value);
  throw invalid(name, value, hint);
}

/** The members of a bill in a row of a frame, without its other columns. */
function billInRow(row: Members): Members {
  return isBillRow(row) ? row : Object.fromEntries(Object.entries(row).filter(([name]) => BILL_MEMBERS.includes(name)));
}

/** A single word is a subject, not a title. */
export const MIN_TITLE_WORDS = 2;
/** Longer than the title of any bill. Longer queries do not fit into every URL. */
const MAX_LENGTH = 2000;
/** Longer than the number of any bill in any spelling. */
const MAX_NUMBER_LENGTH = 100;
/** Characters that a search may take for operators, control characters, and lone surrogates. */
export const UNSEARCHABLE = new RegExp(String.raw`["*?\\]|(?!\s)\p{Cc}|\p{Cs}|${TYPOGRAPHIC.source}`, "gu");
/** "S. Amdt. #5,194" */
const NUMBER_CHARACTERS = /^[\p{L}\d\s.,'’#()/-]*$/u;

/** Null and empty members of a row count as missing. */
function checkRow(row: Members): CheckedBill {
  const { billtitle, billnumber, congress } = withoutNulls(
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== "")),
  );
  return checkBill({ title: billtitle, number: billnumber, congress }, true);
}

/** @throws ValidationError unless there is something to search for */
function checkBill(bill: Members, isRow = false): CheckedBill {
  const { title, number, congress, variants } = bill;
  const checked = {
    title: title === undefined ? undefined : nonEmptyString("title", title, "Inflation Reduction Act"),
    number: number === undefined ? undefined : numberText(number),
    congress: congress === undefined ? undefined : checkCongress(congress),
    variants: variants === undefined ? undefined : checkQueries(variants),
    isRow,
    typedText: undefined,
  };
  if (checked.variants !== undefined) return checked;
  if (checked.title === undefined && checked.number === undefined) throw invalid("bill", undefined, HINT);
  if (checked.title !== undefined) checkTitle(checked.title, isRow);
  const parsed = isRow ? checked : parseTyped(checked);
  if (parsed.number !== undefined) checkNumber(parsed.number, parsed.title !== undefined || isRow);
  return parsed;
}

/** Separates the Congress from an id ("hr5376-117"), and number and acronym from a title ("H.R. 5376: Inflation Reduction Act (IRA)"). */
function parseTyped(bill: CheckedBill): CheckedBill {
  const id = bill.number === undefined ? undefined : readBillId(bill.number);
  const title = bill.title === undefined ? undefined : readTitle(bill.title);
  const number = id?.number ?? bill.number ?? title?.number;
  const isSame = (other: string) => readBillNumber(other)?.number === readBillNumber(number ?? "")?.number;
  if (title?.number !== undefined && !isSame(title.number))
    throw faulty("title", `it names ${title.number}, and number is ${show(bill.number)}`, "Correct one of them.");
  if (id !== undefined && bill.congress !== undefined && bill.congress !== id.congress)
    throw faulty(
      "number",
      `it names Congress ${id.congress}, and congress is ${bill.congress}`,
      "Correct one of them.",
    );
  if (title !== undefined) checkTitle(title.title, false);
  const typedText = title === undefined ? id && bill.number : bill.title;
  return { ...bill, title: title?.title ?? bill.title, number, congress: bill.congress ?? id?.congress, typedText };
}

function numberText(value: unknown): string {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return String(value);
  return nonEmptyString("number", value, "H.R. 5376");
}

function checkTitle(title: string, isRow: boolean): void {
  if (title.length > MAX_LENGTH) throw invalid("title", title, `A title has at most ${MAX_LENGTH} characters.`);
  if (isRow) return;
  const [mark] = title.match(UNSEARCHABLE) ?? [];
  const hint = "For a query of your own, use variants.";
  if (mark !== undefined)
    throw invalid("title", title, `A title is searched word for word, without ${show(mark)}. ${hint}`);
  if (titlePatterns(title).flatMap(({ words }) => words).length < MIN_TITLE_WORDS)
    throw invalid("title", title, `Give two words or more, for example title: "Inflation Reduction Act". ${hint}`);
}

function checkNumber(number: string, mayBeBare: boolean): void {
  const read =
    number.length <= MAX_NUMBER_LENGTH && NUMBER_CHARACTERS.test(number) ? readBillNumber(number) : undefined;
  if (read === undefined || read.number === "0") {
    const hint = 'Give prefix and digits of one bill, for example number: "H.R. 5376".';
    throw invalid("number", number, `${hint} Search others with variants: ['"P.L. 117-169"'].`);
  }
  if (!mayBeBare && read.kinds.length === 0) {
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

const ID = /^([^-/(]*\d) ?[-/(] ?(\d{2,3}(?:st|nd|rd|th)?)(?: congress)? ?\)?$/i;
/** The first Congress with recordings. */
const MIN_CONGRESS = 93;

/**
 * Reads the id of a bill, which ends with its Congress.
 *
 * @returns undefined for anything else
 * @example
 * readBillId("hr5376-117");      //=> { number: "hr5376", congress: 117 }
 * readBillId("H.R. 5376 (117)"); //=> { number: "H.R. 5376", congress: 117 }
 */
export function readBillId(text: string): { readonly number: string; readonly congress: number } | undefined {
  const [, number = "", last = ""] = ID.exec(text.trim()) ?? [];
  const congress = congressNumber(last);
  if (congress === undefined || congress < MIN_CONGRESS || !readBillNumber(number)?.kinds.length) return undefined;
  return { number, congress };
}

/** "H.R. 5376: …", "H.R.5376 - …", "S. 5 — …" */
const NUMBER_FIRST = /^([\p{L}. ]{1,40}[\d,]*\d) ?(?::|[–—]|- ) ?(?=\S)/u;
/** "(IRA) …", "(H.R. 5376) …" */
const IN_BRACKETS_FIRST = /^\(([^()]{1,40})\) ?(?=\S)/;
/** "… (IRA)", "… (H.R. 5376)" */
const IN_BRACKETS_LAST = /\(([^()]{1,40})\)$/;
const ACRONYM = /^(?:\p{Lu}[.&-]?){2,12}s?$/u;

/**
 * Separates the number and the acronym from a title. Web sites write them together, but nobody says them together.
 *
 * @returns undefined if the title has neither
 * @example
 * readTitle("H.R. 5376: Inflation Reduction Act"); //=> { title: "Inflation Reduction Act", number: "H.R. 5376" }
 * readTitle("Inflation Reduction Act (IRA)");      //=> { title: "Inflation Reduction Act", number: undefined }
 */
export function readTitle(text: string): { readonly title: string; readonly number: string | undefined } | undefined {
  const trimmed = text.trim();
  const [before = "", first = ""] = NUMBER_FIRST.exec(trimmed) ?? IN_BRACKETS_FIRST.exec(trimmed) ?? [];
  const [behind = "", last = ""] = IN_BRACKETS_LAST.exec(trimmed) ?? [];
  const number = [first, last].find(isNumber)?.trim();
  const start = isNumber(first) || ACRONYM.test(first) ? before.length : 0;
  const end = isNumber(last) || ACRONYM.test(last) ? trimmed.length - behind.length : trimmed.length;
  const title = trimmed.slice(start, end).trim();
  return title === trimmed ? undefined : { title, number };
}

function isNumber(part: string): boolean {
  return (readBillNumber(part)?.kinds.length ?? 0) > 0;
}
