import { BILL_KINDS, type BillKind, readBillNumber } from "./judge/billKinds.js";
import { spokenNumbers } from "./judge/numberWords.js";
import { type QueryVariant, variant } from "./variant.js";

/** Smaller numbers count other things, too, so they are searched with their prefix. */
const MIN_RARE = 1000;
/** A number that is read out in fewer words also counts other things, and is searched with its prefix. */
const MIN_SPOKEN_WORDS = 3;
const IN_WORDS = "# in words";
const YEAR = /^(?:19|20)\d\d$/;

/**
 * The queries for a number in the forms in which it is spoken and captioned. A rare number is searched by its digits: one query finds every
 * spelling of its prefix that is a word of its own, and the texts tell what has the number.
 *
 * @param typed the number as it was typed
 * @param kinds the kinds that it may have
 * @example
 * numberVariants("H.R. 5376", "5376", ["hr"]).map(({ query }) => query); //=> ['"5376"', '"5,376"', '"fifty-three seventy-six"', …]
 */
export function numberVariants(typed: string, number: string, kinds: readonly BillKind[]): QueryVariant[] {
  const isAmbiguous = kinds.length > 1;
  const variants: QueryVariant[] = [];
  const add = (one: QueryVariant, after?: QueryVariant, isLater = after !== undefined) => {
    variants.push({ ...one, isLater, after: after?.query });
    return one;
  };
  const isRare = isRareNumber(number);
  // The digits find what was typed, too, unless it joins them to the prefix.
  if (readBillNumber(typed)?.kinds.length !== 0 && !(isRare && typed.trim().endsWith(` ${number}`)))
    add(variant(typed, "as typed", "number"));
  const digits = isRare ? add(variant(number, "#", "number", { isWide: true })) : undefined;
  if (digits !== undefined)
    add(variant(number.replace(/(\d{3})$/, ",$1"), "#,###", "number", { isWide: true }), digits);
  const [said] = spokenNumbers(number);
  // Without a prefix, "two thousand nineteen" is a year.
  const isLong = said !== undefined && said.split(/[ -]/).length >= MIN_SPOKEN_WORDS && !YEAR.test(number);
  if (isLong) add(variant(said, IN_WORDS, "words"));
  for (const kind of kinds) {
    const form = (name: string) => variant(name.replace("#", number), name, "number", { isAmbiguous, kind });
    const { forms, spoken } = BILL_KINDS[kind];
    for (const [at, chain] of forms.entries()) {
      let before = digits;
      // If the texts have to tell the chamber, its usual form comes first.
      for (const name of chain.filter((each) => digits === undefined || /\S#/.test(each)))
        before = add(form(name), before, before !== undefined || (isAmbiguous && at > 0));
    }
    if (said === undefined || isLong) continue;
    for (const name of spoken) {
      const inWords = name.replace("#", IN_WORDS);
      // "House Bill twelve" where someone says "House Bill 12".
      const after = isAmbiguous || name !== spoken[0] ? form(name) : undefined;
      add(variant(name.replace("#", said), inWords, "words", { isAmbiguous, kind }), after);
    }
  }
  return variants;
}

/** Whether a number is hardly said of anything but a bill: of four digits, not round, and no year. */
function isRareNumber(number: string): boolean {
  return Number(number) >= MIN_RARE && !number.endsWith("00") && !YEAR.test(number);
}

/** Characters of a link to read. */
const MAX_LINK = 2000;

/** Kinds that a title suggests; the first pattern that matches counts. */
const TITLE_HINTS: ReadonlyArray<readonly [RegExp, readonly BillKind[]]> = [
  [/\bconcurrent resolution\b/i, ["hconres", "sconres"]],
  [
    /\bjoint resolution\b|^(?:disapproving|proposing an amendment|making (?:further )?continuing)\b/i,
    ["hjres", "sjres"],
  ],
  [/\bact(?: of \d{4})?$/i, ["hr", "s"]],
  [/\bresolution\b|^(?:providing for (?:the )?consideration|electing)\b/i, ["hres", "sres"]],
  [/^[a-z]+ing\b(?! act\b)/i, ["hres", "sres", "hconres", "sconres"]],
];

/**
 * The kinds that a bill with a bare number may have: the one that its link names, or those that its title suggests.
 *
 * @example
 * kindsOf("https://example.org/117/hr5376", "5376", undefined);              //=> ["hr"]
 * kindsOf("", "5376", "Inflation Reduction Act");                            //=> ["hr", "s"]
 * kindsOf("", "12", "Recognizing the importance of libraries");              //=> ["hres", "sres", "hconres", "sconres"]
 */
export function kindsOf(link: unknown, number: string, title: string | undefined): readonly BillKind[] {
  const text = typeof link === "string" ? link.slice(0, MAX_LINK).toLowerCase() : "";
  const parts = text.match(/[a-z.-]+|\d+/g) ?? [];
  for (const [at, part] of parts.entries()) {
    const kinds = part === number ? (readBillNumber(`${parts[at - 1]} ${number}`)?.kinds ?? []) : [];
    if (kinds.length === 1) return kinds;
  }
  const trimmed = (title ?? "").trim();
  return TITLE_HINTS.find(([pattern]) => pattern.test(trimmed))?.[1] ?? ["hr", "s"];
}
