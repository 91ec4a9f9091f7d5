import { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { readBillNumber } from "./judge/billKinds.js";
import { titlePatterns } from "./judge/titlePattern.js";

/** What the queries for a bill are made from. */
export interface BillWords {
  readonly title: string | undefined;
  readonly number: string | undefined;
  /** The link of a row of bills, which may tell the chamber. */
  readonly link: string | undefined;
  readonly congress: number | undefined;
  /** Queries that replace those made from title and number. */
  readonly variants: unknown;
  /** It is a row of bills: nobody typed its title. */
  readonly isRow: boolean;
}

/** Longer than the number of any bill in any spelling. */
const MAX_NUMBER_LENGTH = 100;
/** Longer than the title of any bill. */
const MAX_TITLE_LENGTH = 2000;
/** A longer query does not fit into a URL everywhere. */
const MAX_QUERY_LENGTH = 2000;
/** A title of one word is a subject. */
export const MIN_TITLE_WORDS = 2;
/** Characters that a search may take for operators. */
export const OPERATORS = /["“”*?\\]/g;
/** Control characters, except for white space, and halves of characters. */
export const UNREADABLE = /(?!\s)\p{Cc}|\p{Cs}/gu;
/** What the number of a bill may consist of: "S. Amdt. #5,194", "P.L. 117-169". */
const NUMBER_CHARACTERS = /^[\p{L}\d\s.,'’#()/-]*$/u;
/** "H.R. 5 and H.R. 6", "H.R. 5, 6". */
const SEVERAL_NUMBERS = /\d\D{0,100}[a-z]\D{0,100}\d|\d[,;]\s{1,100}\d/i;
const NUMBER_EXAMPLE = 'Give prefix and digits, for example number: "H.R. 5376".';

/**
 * Checks title and number of a bill. Rows of bills, which nobody typed, may have any title.
 *
 * @throws ValidationError unless there is something to search for
 */
export function checkBillWords({ title, number, isRow }: BillWords): void {
  if (title === undefined && number === undefined) {
    throw invalid(
      "bill",
      undefined,
      'Give its title, its number or both, for example { title: "Inflation Reduction Act", number: "H.R. 5376" }.',
    );
  }
  if (title !== undefined) checkTitle(title, isRow);
  if (number !== undefined) checkNumber(number, title !== undefined || isRow);
}

function checkNumber(number: string, mayBeBare: boolean): void {
  if (number.length > MAX_NUMBER_LENGTH) {
    throw invalid("number", number, `A number has at most ${MAX_NUMBER_LENGTH} characters. ${NUMBER_EXAMPLE}`);
  }
  if (/["“”*?]/.test(number)) {
    throw invalid(
      "number",
      number,
      'Give prefix and digits without quotes and wildcards, for example number: "H.R. 5376".',
    );
  }
  const read = readBillNumber(number);
  if (!/\d/.test(number) || !NUMBER_CHARACTERS.test(number) || hasUnreadable(number) || read?.number === "0") {
    throw invalid("number", number, NUMBER_EXAMPLE);
  }
  if (read === undefined && SEVERAL_NUMBERS.test(number)) {
    throw invalid(
      "number",
      number,
      'Give one number per bill, for example [{ number: "H.R. 5" }, { number: "S. 6" }].',
    );
  }
  if (!mayBeBare && /^\d+$/.test(number.trim())) {
    throw invalid(
      "number",
      number,
      `Digits alone match anything. Add the prefix, for example number: "H.R. ${number.trim()}", or a title.`,
    );
  }
}

function checkTitle(title: string, isRow: boolean): void {
  if (title.length > MAX_TITLE_LENGTH) {
    throw invalid("title", title, `A title has at most ${MAX_TITLE_LENGTH} characters.`);
  }
  if (isRow) return;
  if (hasUnreadable(title)) throw invalid("title", title, "Remove the control characters.");
  const [operator] = title.match(OPERATORS) ?? [];
  if (operator !== undefined) {
    throw new ValidationError(`invalid title: ${JSON.stringify(title)}.`, {
      hint: `Remove ${operator}: a title is searched word for word. For a query of your own, use variants.`,
      parameter: "title",
    });
  }
  const words = titlePatterns(title).flatMap((pattern) => pattern.words);
  if (words.length < MIN_TITLE_WORDS) {
    const example = 'for example title: "Inflation Reduction Act".';
    throw invalid("title", title, `Give two words or more, ${example} For a query of your own, use variants.`);
  }
}

/**
 * Checks queries of the caller, which replace those made from title and number.
 *
 * @throws ValidationError for anything but a list of strings with a letter or digit
 */
export function checkQueries(variants: unknown): readonly string[] {
  const example = `for example variants: ['"Inflation Reduction Act"', '"I.R.A."'].`;
  if (!Array.isArray(variants) || variants.length === 0) {
    throw invalid("variants", variants, `Give a list of queries, ${example}`);
  }
  for (const query of variants) {
    if (typeof query !== "string" || !/[\p{L}\p{Nd}]/u.test(query) || hasUnreadable(query)) {
      throw invalid("variants", query, `Give queries with words and without control characters, ${example}`);
    }
    if (query.length > MAX_QUERY_LENGTH) {
      throw invalid("variants", query, `A query has at most ${MAX_QUERY_LENGTH} characters.`);
    }
  }
  return variants as readonly string[];
}

function hasUnreadable(text: string): boolean {
  return text.search(UNREADABLE) !== -1;
}
