import { invalid } from "../errors/validators.js";
import { type CheckedBill, MIN_TITLE_WORDS, NOT_SEARCHED } from "./givenBill.js";
import { BILL_KINDS, type BillKind, readBillNumber } from "./judge/billKinds.js";
import type { JudgedBill } from "./judge/judge.js";
import { spokenNumbers } from "./judge/spokenNumbers.js";
import { acronymsOf, shortTitlesOf, type TitlePattern, titlePatterns } from "./judge/titlePattern.js";
import { repairTitle, type Vocabulary } from "./repairTitle.js";

/** The queries for a bill, and what to look for in the texts that they find. */
export interface BillQueries {
  /** Those that are sent first come first. */
  readonly variants: readonly QueryVariant[];
  /** Undefined if the texts cannot be judged: the caller gave queries only. */
  readonly judged: JudgedBill | undefined;
}

/** A part of a title with fewer words finds too much else. */
const MIN_TELLING_WORDS = 3;

/**
 * The queries that find the speeches on a bill: its title as a phrase, and its number in the forms that are spoken and captioned. A number
 * without prefix is searched with the prefixes of both chambers.
 *
 * @param shortTitles also search "the Inflation Reduction package" and "I.R.A."
 * @param vocabulary repairs titles that lost letters
 * @throws ValidationError if nothing is left of the title
 */
export function queryVariants(bill: CheckedBill, shortTitles: boolean, vocabulary: Vocabulary): BillQueries {
  const { title, number, congress, variants: given } = bill;
  const titles = title === undefined ? undefined : titleVariants(title, bill, shortTitles, vocabulary);
  const numbers = number === undefined ? undefined : billNumber(number, bill, titles?.repaired);
  const judged = { congress: congress ?? null, ...NOTHING, ...titles?.judged, ...numbers?.judged };
  const own = [...(titles?.variants ?? []), ...(numbers?.variants ?? [])];
  const variants = given?.map((query): QueryVariant => ({ query, form: "given", part: "given" })) ?? [
    ...own.filter(({ isLater }) => !isLater),
    ...own.filter(({ isLater }) => isLater),
  ];
  if (variants.length === 0)
    throw invalid("title", title, "Give a title of two words or more, or the number with its prefix.");
  const canJudge = judged.titles.length > 0 || judged.number !== undefined || judged.literals.length > 0;
  // Each query once, ignoring case.
  const known = new Set<string>();
  const isNew = ({ query }: QueryVariant) => known.size < known.add(query.toLowerCase()).size;
  return { variants: variants.filter(isNew), judged: canJudge ? judged : undefined };
}

/** What to judge by, if nothing was given. */
const NOTHING: Omit<JudgedBill, "congress"> = {
  titles: [],
  shortTitles: [],
  acronyms: [],
  number: undefined,
  kinds: [],
  literals: [],
};

interface Part {
  readonly variants: readonly QueryVariant[];
  readonly judged: Partial<JudgedBill>;
  /** The title, if it had lost letters. */
  readonly repaired?: string | undefined;
}

function titleVariants(
  title: string,
  { isRow }: CheckedBill,
  shortTitles: boolean,
  vocabulary: Vocabulary,
): Part | undefined {
  const searched = isRow ? title.replace(NOT_SEARCHED, " ") : title;
  const repaired = repairTitle(searched, vocabulary);
  const plain = titlePatterns(repaired?.title ?? searched).filter(({ words }) => words.length >= MIN_TITLE_WORDS);
  if (plain.length === 0) return undefined;
  const damaged = repaired === undefined ? [] : titlePatterns(searched, true);
  const intact = repaired?.intactPart === undefined ? [] : titlePatterns(repaired.intactPart);
  const [short, acronyms] = [plain.flatMap(shortTitlesOf), plain.flatMap(acronymsOf)];
  const of = (form: string, patterns: readonly TitlePattern[]) =>
    patterns.map((one) => variant(one.title, form, "title"));
  return {
    repaired: repaired?.title,
    variants: [
      ...of(repaired === undefined ? "title" : "repaired title", plain),
      ...intact.map(({ title: part, words }) =>
        variant(part, "part of the title", "title", { isWide: words.length < MIN_TELLING_WORDS }),
      ),
      ...(shortTitles ? [...of("short title", short), ...of("acronym", acronyms)] : []),
      ...plain.flatMap(laterTitles),
    ],
    judged: { titles: [...plain, ...damaged], shortTitles: short, acronyms },
  };
}

function laterTitles(pattern: TitlePattern): QueryVariant[] {
  const { title, words } = pattern;
  if (words.at(-1) !== "act") return [];
  const later = { isLater: true, after: variant(title, "title", "title").query };
  // "the Inflation Reduction Act's": a service may take it for another word.
  const possessive = variant(`${title}'s`, "title in the possessive", "title", later);
  const [bill] = shortTitlesOf(pattern);
  if (bill === undefined) return [possessive];
  const stem = variant(title.replace(/ act$/i, ""), TITLE_STEM, "title", { ...later, isWide: true });
  return [stem, possessive, variant(bill.title, "short title", "title", later)];
}

function billNumber(typed: string, { link, title }: CheckedBill, repairedTitle: string | undefined): Part {
  const read = readBillNumber(typed);
  if (read === undefined)
    return { variants: [variant(typed, "as typed", "number")], judged: { literals: titlePatterns(typed) } };
  const { number } = read;
  const kinds = read.kinds.length > 0 ? read.kinds : kindsOf(link, number, repairedTitle ?? title);
  return { variants: numberVariants(typed, number, kinds), judged: { number, kinds } };
}

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
function kindsOf(link: unknown, number: string, title: string | undefined): readonly BillKind[] {
  const text = typeof link === "string" ? link.slice(0, MAX_LINK).toLowerCase() : "";
  const parts = text.match(/[a-z.-]+|\d+/g) ?? [];
  for (const [at, part] of parts.entries()) {
    const kinds = part === number ? (readBillNumber(`${parts[at - 1]} ${number}`)?.kinds ?? []) : [];
    if (kinds.length === 1) return kinds;
  }
  const trimmed = (title ?? "").trim();
  return TITLE_HINTS.find(([pattern]) => pattern.test(trimmed))?.[1] ?? ["hr", "s"];
}

export interface QueryVariant {
  readonly query: string;
  /** What of the bill it searches, with # for the number: "title", "H.R. #", "# in words". */
  readonly form: string;
  readonly part: "title" | "number" | "words" | "given";
  /** It names a chamber that the bill may not be of. */
  readonly isAmbiguous?: boolean | undefined;
  /** The kind whose prefix it has; undefined if it suits all kinds. */
  readonly kind?: BillKind | undefined;
  /** It finds more than the bill: digits without prefix, a title without Act. */
  readonly isWide?: boolean | undefined;
  /** What other queries find decides whether it is sent. */
  readonly isLater?: boolean | undefined;
  /** It is sent only if this query has found something. */
  readonly after?: string | undefined;
}

/** The form of a title without its last word, which also finds the possessive and "… bill". */
export const TITLE_STEM = "title without Act";

/** Whether a title without its last word finds what a query finds: the query begins with its words. */
export function isWithin({ query }: QueryVariant, stem: QueryVariant): boolean {
  return query.toLowerCase().startsWith(`${stem.query.slice(0, -1).toLowerCase()} `);
}

/** Soft hyphens, joiners and direction marks, which copied text may contain. */
const INVISIBLE = /\p{Cf}/gu;

/** A query for a phrase: the service finds it word for word. Inner quotes and invisible characters are removed, white space is collapsed. */
function variant(
  text: string,
  form: string,
  part: QueryVariant["part"],
  more: Partial<QueryVariant> = {},
): QueryVariant {
  const words = text.replace(INVISIBLE, "").replaceAll('"', "").trim().replace(/\s+/g, " ");
  return { query: `"${words}"`, form, part, ...more };
}
