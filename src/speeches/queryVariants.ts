import { invalid, nonEmptyText } from "../errors/validators.js";
import { isBareNumber, numberForms } from "./numberForms.js";
import { phrase } from "./phrase.js";

/** What the searches for a bill are made of. */
export interface BillWords {
  readonly title: string | undefined;
  readonly number: string | undefined;
  /** Queries by hand, in place of those made from title and number. */
  readonly variants: unknown;
}

/** Longer than any number of a bill in any spelling. */
const MAX_NUMBER_LENGTH = 100;

/**
 * The queries that find the speeches on a bill: its title as a phrase, its number in the forms that are spoken. A bare
 * number is searched only together with a title.
 *
 * @throws ValidationError where there is nothing to search for
 * @example
 * queryVariants({ title: "Inflation Reduction Act", number: "S. 12", variants: undefined });
 * //=> ['"Inflation Reduction Act"', '"S. 12"', '"S 12"']
 */
export function queryVariants({ title, number, variants }: BillWords): string[] {
  if (variants !== undefined) return handmade(variants);
  const ofTitle = title === undefined ? undefined : phrase(title);
  if (title !== undefined && ofTitle === undefined) {
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
      `Digits alone match anything. Give the prefix, for example number: "H.R. ${number.trim()}", or the title too.`,
    );
  }
  const forms = number === undefined ? [] : numberForms(number);
  return [...new Set(ofTitle === undefined ? forms : [ofTitle, ...forms])];
}

function handmade(variants: unknown): string[] {
  if (!Array.isArray(variants) || variants.length === 0) {
    throw invalid(
      "variants",
      variants,
      `Give a list of queries, for example variants: ['"Inflation Reduction Act"', '"I.R.A."'].`,
    );
  }
  return [...new Set(variants.map((variant) => nonEmptyText("variants", variant, '"Inflation Reduction Act"')))];
}
