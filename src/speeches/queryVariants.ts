import { invalid, nonEmptyString } from "../errors/validators.js";

/** What the queries for a bill are made from. */
export interface BillWords {
  readonly title: string | undefined;
  readonly number: string | undefined;
  /** Queries that replace those made from title and number. */
  readonly variants: unknown;
}

/** Longer than the number of any bill in any spelling. */
const MAX_NUMBER_LENGTH = 100;

/** The parts of the prefix of a number, by its letters alone. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  HR: ["H", "R"],
  S: ["S"],
  HRES: ["H", "Res"],
  SRES: ["S", "Res"],
  HJRES: ["H", "J", "Res"],
  SJRES: ["S", "J", "Res"],
  HCONRES: ["H", "Con", "Res"],
  SCONRES: ["S", "Con", "Res"],
};

/**
 * The queries that find the speeches on a bill: its title as a phrase, and its number in the forms that are spoken. A
 * number without prefix is searched only together with a title.
 *
 * @throws ValidationError if there is nothing to search for
 * @example
 * queryVariants({ title: "Inflation Reduction Act", number: "S. 12", variants: undefined });
 * //=> ['"Inflation Reduction Act"', '"S. 12"', '"S 12"']
 */
export function queryVariants({ title, number, variants }: BillWords): string[] {
  if (variants !== undefined) return checkVariants(variants);
  const titlePhrase = title === undefined ? undefined : phrase(title);
  if (title !== undefined && titlePhrase === undefined) {
    throw invalid("title", title, 'Give the title in words, for example title: "Inflation Reduction Act".');
  }
  if (title === undefined && number === undefined) {
    throw invalid(
      "bill",
      undefined,
      'Give its title, its number or both, for example { title: "Inflation Reduction Act", number: "H.R. 5376" }.',
    );
  }
  if (number !== undefined && (number.length > MAX_NUMBER_LENGTH || !/\d/.test(number))) {
    const long = number.length > MAX_NUMBER_LENGTH ? `A number has at most ${MAX_NUMBER_LENGTH} characters. ` : "";
    throw invalid("number", number, `${long}Give prefix and digits, for example number: "H.R. 5376".`);
  }
  if (title === undefined && number !== undefined && isBareNumber(number)) {
    throw invalid(
      "number",
      number,
      `Digits alone match anything. Add the prefix, for example number: "H.R. ${number.trim()}", or a title.`,
    );
  }
  const forms = number === undefined ? [] : numberForms(number);
  return [...new Set(titlePhrase === undefined ? forms : [titlePhrase, ...forms])];
}

function checkVariants(variants: unknown): string[] {
  if (!Array.isArray(variants) || variants.length === 0) {
    throw invalid(
      "variants",
      variants,
      `Give a list of queries, for example variants: ['"Inflation Reduction Act"', '"I.R.A."'].`,
    );
  }
  return [...new Set(variants.map((variant) => nonEmptyString("variants", variant, '"Inflation Reduction Act"')))];
}

/**
 * The number of a bill in the forms that are spoken and captioned, each as a phrase. The spelling of the number does not
 * matter. A number with an unknown prefix is searched as it is.
 *
 * @example
 * numberForms("hr5376");      //=> ['"H.R. 5376"', '"HR 5376"', '"H R 5376"']
 * numberForms("S.J.Res. 10"); //=> ['"S.J.Res. 10"', '"SJRes 10"', '"S J Res 10"']
 */
export function numberForms(number: string): string[] {
  const [, letters = "", digits] = /^([A-Z]+)0*([1-9]\d*|0)$/.exec(number.toUpperCase().replace(/[\s.-]/g, "")) ?? [];
  const parts = Object.hasOwn(PREFIXES, letters) ? PREFIXES[letters] : undefined;
  if (parts === undefined) return [phrase(number)].filter((form) => form !== undefined);
  const prefixes = new Set([`${parts.join(".")}.`, parts.join(""), parts.join(" ")]);
  return [...prefixes].map((prefix) => `"${prefix} ${digits}"`);
}

/** Whether a number has no prefix. The text of any speech may contain "5376". */
function isBareNumber(number: string): boolean {
  return /^\d+$/.test(number.trim());
}

/**
 * A string as a quoted phrase, which the service finds word for word. Inner quotes are removed, white space is collapsed.
 *
 * @returns undefined if nothing is left
 * @example
 * phrase('The  "Inflation" Act'); //=> '"The Inflation Act"'
 */
export function phrase(text: string): string | undefined {
  const words = text.replaceAll('"', "").trim().replace(/\s+/g, " ");
  return words === "" ? undefined : `"${words}"`;
}
