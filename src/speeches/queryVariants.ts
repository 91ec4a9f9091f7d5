import { invalid } from "../errors/validators.js";
import { type CheckedBill, MIN_TITLE_WORDS, NOT_SEARCHED } from "./bills.js";
import { BILL_KINDS, type BillKind, type BillNumber, readBillNumber } from "./judge/billKinds.js";
import type { JudgedBill } from "./judge/judge.js";
import { spokenNumbers } from "./judge/spokenNumbers.js";
import { shortTitlesOf, type TitlePattern, titlePatterns } from "./judge/titlePattern.js";
import { repairTitle, type Vocabulary } from "./repairTitle.js";

export interface QueryVariant {
  readonly query: string;
  /** What of the bill it searches, with # for the number: "title", "H.R. #", "# in words". */
  readonly form: string;
  /** The kind whose prefix it has; undefined if it suits all kinds. */
  readonly kind?: BillKind | undefined;
  /** It finds more than the bill: digits without prefix, a title without Act. */
  readonly isWide?: boolean | undefined;
  /** It is sent if the first searches for the bill have found something. */
  readonly isLater?: boolean | undefined;
}

/** The queries for a bill, and what to look for in the texts that they find. */
export interface BillQueries {
  /** Those that are sent first come first. */
  readonly variants: readonly QueryVariant[];
  /** Undefined if the texts cannot be judged: the caller gave queries only. */
  readonly judged: JudgedBill | undefined;
}

export interface QuerySettings {
  /** Repairs titles that lost letters. */
  readonly vocabulary: Vocabulary;
  /** Search a title without its last word, which finds what is said instead, too. */
  readonly withStems: boolean;
}

/** The form of a query that the caller gave. */
export const OF_CALLER = "given";

/**
 * The queries that find the speeches on a bill: its title as a phrase, and its number in the forms that are spoken and captioned. A number
 * without prefix is searched with the prefixes of both chambers.
 *
 * @throws ValidationError if nothing is left of the title
 */
export function queryVariants(bill: CheckedBill, settings: QuerySettings): BillQueries {
  const { title, number, congress = null } = bill;
  const titles = title === undefined ? undefined : titleVariants(title, bill, settings);
  const numbers = number === undefined ? undefined : billNumber(number, bill, titles?.repaired);
  const judged = { congress, ...NOTHING, ...titles?.judged, ...numbers?.judged };
  const ofBill = [...(titles?.variants ?? []), ...(numbers?.variants ?? [])];
  const variants = bill.variants?.map((query): QueryVariant => ({ query, form: OF_CALLER })) ?? [
    ...ofBill.filter(({ isLater }) => !isLater),
    ...ofBill.filter(({ isLater }) => isLater),
  ];
  if (variants.length === 0)
    throw invalid("title", title, "Give a title of two words or more, or the number with its prefix.");
  const canJudge = judged.titles.length > 0 || judged.number !== undefined;
  return { variants: distinct(variants), judged: canJudge ? judged : undefined };
}

/** Each query once, ignoring case. */
function distinct(variants: readonly QueryVariant[]): QueryVariant[] {
  const queries = new Set<string>();
  return variants.filter(({ query }) => queries.size < queries.add(query.toLowerCase()).size);
}

/** What to judge by, if nothing was given. */
const NOTHING: Omit<JudgedBill, "congress"> = {
  titles: [],
  shortTitles: [],
  number: undefined,
  kinds: [],
};

interface Part {
  readonly variants: readonly QueryVariant[];
  readonly judged: Partial<JudgedBill>;
  /** The title, if it had lost letters. */
  readonly repaired?: string | undefined;
}

/** A part of a title with fewer words finds too much else: "Clean Water". */
const MIN_TELLING_WORDS = 3;

function titleVariants(title: string, { isRow }: CheckedBill, settings: QuerySettings): Part | undefined {
  // Without blanks in their place: these would look like lost letters.
  const searched = (isRow ? title.replace(NOT_SEARCHED, "") : title).trimStart();
  const repaired = repairTitle(searched, settings.vocabulary);
  const patterns = titlePatterns(repaired?.title ?? searched).filter(({ words }) => words.length >= MIN_TITLE_WORDS);
  if (patterns.length === 0) return undefined;
  const damaged = repaired === undefined ? [] : titlePatterns(searched, true);
  const intact = repaired?.intactPart === undefined ? [] : titlePatterns(repaired.intactPart);
  return {
    repaired: repaired?.title,
    variants: [
      ...patterns.flatMap((pattern) =>
        formsOfTitle(pattern, repaired ? "repaired title" : "title", settings.withStems),
      ),
      ...intact.map((part) => variant(part.title, "part of the title")),
    ],
    judged: { titles: [...patterns, ...damaged], shortTitles: patterns.flatMap(shortTitlesOf) },
  };
}

/** A title, its possessive, which a service may take for another word, and what is said instead of "Act". */
function formsOfTitle({ title, words }: TitlePattern, form: string, withStems: boolean): QueryVariant[] {
  if (words.at(-1) !== "act") return [variant(title, form)];
  const stem = title.replace(/ act$/i, "");
  if (withStems && words.length > MIN_TELLING_WORDS) return [variant(stem, "title without Act", { isWide: true })];
  return [
    variant(title, form),
    variant(`${title}'s`, "title in the possessive", { isLater: true }),
    ...(words.length > MIN_TITLE_WORDS ? [variant(`${stem} bill`, "short title", { isLater: true })] : []),
  ];
}

function billNumber(typed: string, { link, title }: CheckedBill, repairedTitle: string | undefined): Part {
  const { number, kinds: named } = readBillNumber(typed) as BillNumber;
  const kinds = named.length > 0 ? named : kindsOf(link, number, repairedTitle ?? title);
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
 * numberVariants("H.R. 5376", "5376", ["hr"]).map(({ query }) => query); //=> ['"5376"', '"fifty-three seventy-six"', …]
 */
export function numberVariants(typed: string, number: string, kinds: readonly BillKind[]): QueryVariant[] {
  const isAmbiguous = kinds.length > 1;
  // A rare number is hardly said of anything but a bill: of four digits, not round, and no year.
  const isRare = Number(number) >= MIN_RARE && !number.endsWith("00") && !YEAR.test(number);
  const [said, ...alsoSaid] = spokenNumbers(number);
  // Without a prefix, "two thousand nineteen" is a year.
  const isLong = said !== undefined && said.split(/[ -]/).length >= MIN_SPOKEN_WORDS && !YEAR.test(number);
  const variants: QueryVariant[] = [];
  // The digits find what was typed, too, unless it joins them to the prefix.
  if (readBillNumber(typed)?.kinds.length !== 0 && !(isRare && typed.trim().endsWith(` ${number}`)))
    variants.push(variant(typed, "as typed"));
  if (isRare)
    variants.push(
      variant(number, "#", { isWide: true }),
      variant(number.replace(/(\d{3})$/, ",$1"), "#,###", { isWide: true, isLater: true }),
    );
  if (isLong)
    variants.push(variant(said, IN_WORDS), ...alsoSaid.map((one) => variant(one, IN_WORDS, { isLater: true })));
  for (const kind of kinds) {
    const { first, later, spoken } = BILL_KINDS[kind];
    // If the texts have to tell the chamber, its usual form comes first.
    const isFirst = (name: string) => (isAmbiguous ? name === first[0] : first.includes(name));
    for (const form of [...first, ...later])
      if (!isRare || /\S#/.test(form))
        variants.push(variant(form.replace("#", number), form, { kind, isLater: isRare || !isFirst(form) }));
    if (said === undefined || isLong) continue;
    for (const form of spoken)
      variants.push(
        variant(form.replace("#", said), form.replace("#", IN_WORDS), {
          ...{ kind, isLater: isAmbiguous || form !== spoken[0] },
        }),
      );
  }
  return variants;
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

/** Soft hyphens, joiners and direction marks, which copied text may contain. */
const INVISIBLE = /\p{Cf}/gu;

/** A query for a phrase: the service finds it word for word. Inner quotes and invisible characters are removed, white space is collapsed. */
function variant(text: string, form: string, more: Partial<QueryVariant> = {}): QueryVariant {
  const words = text.replace(INVISIBLE, "").replaceAll('"', "").trim().replace(/\s+/g, " ");
  return { query: `"${words}"`, form, ...more };
}
