import { checkCongress, invalid, nonEmptyString, show } from "../errors/validators.js";
import { TYPOGRAPHIC } from "../service/operations/quotes.js";
import { readBillNumber } from "./judge/billKinds.js";
import { titlePatterns } from "./judge/titlePattern.js";
import type { GivenBill } from "./splitArguments.js";

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

/** A checked bill: it has something to search for. */
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
  const example = `variants: ['"Inflation Reduction Act"', '"I.R.A."']`;
  throw invalid(
    "variants",
    variants,
    `Give a list of queries of at most ${MAX_LENGTH} characters, for example ${example}.`,
  );
}
