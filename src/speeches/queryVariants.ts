import { invalid } from "../errors/validators.js";
import { type CheckedBill, MIN_TITLE_WORDS, UNSEARCHABLE } from "./bills.js";
import { BILL_KINDS, type BillKind, type BillNumber, readBillNumber } from "./judge/billKinds.js";
import type { BillCriteria } from "./judge/judge.js";
import { spokenNumbers } from "./judge/numberMentions.js";
import { shortTitlesOf, type TitlePattern, titlePatterns } from "./judge/titlePattern.js";
import { repairTitle } from "./repairTitle.js";

export interface QueryVariant {
  readonly query: string;
  /** The kind of bill that its prefix names; undefined for a query for all kinds. */
  readonly kind?: BillKind | undefined;
  /** It is sent only if the first searches for the bill found something. */
  readonly isLater?: boolean | undefined;
}

/** The queries for a bill, and what to look for in the texts that they find. */
export interface BillQueries {
  /** In the order in which they are sent. */
  readonly variants: readonly QueryVariant[];
  /** Undefined for queries of the caller: everything that they find counts. */
  readonly criteria: BillCriteria | undefined;
}

/**
 * The queries that find the speeches on a bill: its title as a phrase, and its number in the forms that are spoken and captioned. A number
 * without prefix is searched with the prefixes of both chambers.
 *
 * @param withStems search a title without "Act", which also finds "bill" and other words in its place
 * @throws ValidationError if nothing of the title can be searched
 */
export function queryVariants(bill: CheckedBill, withStems: boolean): BillQueries {
  const { title, number, congress = null } = bill;
  if (bill.variants !== undefined)
    return { variants: distinct(bill.variants.map((query) => ({ query }))), criteria: undefined };
  const byTitle = title === undefined ? NO_TITLE : titleQueries(title, bill.isRow, withStems);
  const byNumber = number === undefined ? NO_NUMBER : numberQueries(number, byTitle.repaired ?? title);
  const all = [...byTitle.variants, ...byNumber.variants];
  if (all.length === 0)
    throw invalid("title", title, "Give a title of two words or more, or the number with its prefix.");
  const variants = [...all.filter(({ isLater }) => !isLater), ...all.filter(({ isLater }) => isLater)];
  return { variants: distinct(variants), criteria: { ...byTitle.criteria, ...byNumber.criteria, congress } };
}

/** Each query once, ignoring case. */
function distinct(variants: readonly QueryVariant[]): QueryVariant[] {
  const queries = new Set<string>();
  return variants.filter(({ query }) => queries.size < queries.add(query.toLowerCase()).size);
}

interface TitleQueries {
  readonly variants: readonly QueryVariant[];
  readonly criteria: Pick<BillCriteria, "titles" | "shortTitles">;
  /** The title, if it had lost letters. */
  readonly repaired?: string | undefined;
}

const NO_TITLE: TitleQueries = { variants: [], criteria: { titles: [], shortTitles: [] } };

/** A part of a title with fewer words is too common: "Clean Water". */
const MIN_STEM_WORDS = 3;

function titleQueries(title: string, isRow: boolean, withStems: boolean): TitleQueries {
  // Removed, because blanks would look like lost letters.
  const searchable = (isRow ? title.replace(UNSEARCHABLE, "") : title).trimStart();
  const repaired = repairTitle(searchable);
  const patterns = titlePatterns(repaired?.title ?? searchable).filter(({ words }) => words.length >= MIN_TITLE_WORDS);
  if (patterns.length === 0) return NO_TITLE;
  const damagedPatterns = repaired === undefined ? [] : titlePatterns(searchable, true);
  const intactPatterns = repaired?.intactPart === undefined ? [] : titlePatterns(repaired.intactPart);
  return {
    repaired: repaired?.title,
    variants: [
      ...patterns.flatMap((pattern) => formsOfTitle(pattern, withStems)),
      ...intactPatterns.map((part) => ({ query: phrase(part.title) })),
    ],
    criteria: { titles: [...patterns, ...damagedPatterns], shortTitles: patterns.flatMap(shortTitlesOf) },
  };
}

/** A title, its possessive, which a service may take for another word, and the title with "bill" instead of "Act". */
function formsOfTitle({ title, words }: TitlePattern, withStems: boolean): QueryVariant[] {
  if (words.at(-1) !== "act") return [{ query: phrase(title) }];
  const stem = title.replace(/ act$/i, "");
  if (withStems && words.length > MIN_STEM_WORDS) return [{ query: phrase(stem) }];
  return [
    { query: phrase(title) },
    { query: phrase(`${title}'s`), isLater: true },
    ...(words.length > MIN_TITLE_WORDS ? [{ query: phrase(`${stem} bill`), isLater: true }] : []),
  ];
}

const NO_NUMBER = { variants: [], criteria: { number: undefined, kinds: [] } };

function numberQueries(typed: string, title: string | undefined) {
  const { number, kinds: prefixKinds } = readBillNumber(typed) as BillNumber;
  const kinds = prefixKinds.length > 0 ? prefixKinds : kindsOf(title);
  return { variants: numberVariants(typed, number, kinds), criteria: { number, kinds } };
}

/** Smaller numbers also count other things, so they are searched with their prefix. */
const MIN_RARE = 1000;
/** So do numbers that are read out in fewer words. */
const MIN_SPOKEN_WORDS = 3;
const YEAR = /^(?:19|20)\d\d$/;

/**
 * The queries for a number in the forms in which it is spoken and captioned. A rare number is searched by its digits: one query finds every
 * spelling of its prefix that is a separate word, and the texts show what has the number.
 *
 * @param typed the number as typed
 * @param kinds its possible kinds
 * @example
 * numberVariants("H.R. 5376", "5376", ["hr"]).map(({ query }) => query); //=> ['"5376"', '"fifty-three seventy-six"', …]
 */
function numberVariants(typed: string, number: string, kinds: readonly BillKind[]): QueryVariant[] {
  const isAmbiguous = kinds.length > 1;
  // A number of four digits that is not round and not a year is rarely anything but a bill.
  const isRare = Number(number) >= MIN_RARE && !number.endsWith("00") && !YEAR.test(number);
  const inWords = spokenNumbers(number);
  const [usual = ""] = inWords;
  // Without a prefix, "two thousand nineteen" is a year.
  const isLong = usual.split(/[ -]/).length >= MIN_SPOKEN_WORDS && !YEAR.test(number);
  const variants: QueryVariant[] = [];
  const add = (text: string, more: Omit<QueryVariant, "query"> = {}) => variants.push({ query: phrase(text), ...more });
  // The digits also find the typed number, unless it joins them to the prefix.
  if (readBillNumber(typed)?.kinds.length !== 0 && !(isRare && typed.trim().endsWith(` ${number}`))) add(typed);
  if (isRare) {
    add(number);
    add(number.replace(/(\d{3})$/, ",$1"), { isLater: true });
  }
  if (isLong) for (const words of inWords) add(words, { isLater: words !== usual });
  for (const kind of kinds) {
    const { first, later, spoken } = BILL_KINDS[kind];
    // While the chamber is unknown, only the usual form comes first.
    const isFirst = (form: string) => (isAmbiguous ? form === first[0] : first.includes(form));
    for (const form of [...first, ...later])
      if (!isRare || /\S#/.test(form)) add(form.replace("#", number), { kind, isLater: isRare || !isFirst(form) });
    if (!isLong && usual !== "")
      for (const form of spoken) add(form.replace("#", usual), { kind, isLater: isAmbiguous || form !== spoken[0] });
  }
  return variants;
}

/** The kinds that a title suggests. The first match counts. */
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
 * The kinds that a bill with a bare number may have, judging by its title.
 *
 * @example
 * kindsOf("Inflation Reduction Act");                //=> ["hr", "s"]
 * kindsOf("Recognizing the importance of libraries"); //=> ["hres", "sres", "hconres", "sconres"]
 */
function kindsOf(title = ""): readonly BillKind[] {
  return TITLE_HINTS.find(([pattern]) => pattern.test(title.trim()))?.[1] ?? ["hr", "s"];
}

/** Soft hyphens, joiners and direction marks, which copied text may contain. */
const INVISIBLE = /\p{Cf}/gu;

/** A query for a phrase, which the service searches word for word. */
function phrase(text: string): string {
  return `"${text.replace(INVISIBLE, "").replaceAll('"', "").trim().replace(/\s+/g, " ")}"`;
}
