import { invalid } from "../errors/validators.js";
import { type BillWords, checkBillWords, checkQueries, MIN_TITLE_WORDS, OPERATORS, UNREADABLE } from "./billWords.js";
import { ALL_KINDS, BILL_KINDS, type BillKind, readBillNumber } from "./judge/billKinds.js";
import type { JudgedBill } from "./judge/judge.js";
import { spokenNumbers } from "./judge/numberWords.js";
import { acronymsOf, shortTitlesOf, type TitlePattern, titlePatterns } from "./judge/titlePattern.js";
import { repairTitle, type Vocabulary } from "./repairTitle.js";

/** A query for a bill. */
export interface QueryVariant {
  readonly query: string;
  /** What of the bill it searches, with # for the number: "title", "H.R. #", "fifty-three seventy-six". */
  readonly form: string;
  /** It names a chamber that the bill may not be of. */
  readonly isAmbiguous: boolean;
}

/** A query that is sent only if the bill may be of a kind. */
export interface LaterVariant extends QueryVariant {
  /** Undefined for one that suits all kinds. */
  readonly kind: BillKind | undefined;
}

/** The queries for a bill, and what to look for in the texts that they find. */
export interface BillQueries {
  readonly variants: readonly QueryVariant[];
  /** Queries that wait until the texts have shown the kind of a bare number. */
  readonly later: readonly LaterVariant[];
  /** A title that lost letters, which the texts may repair in another way. Undefined for queries of the caller. */
  readonly damagedTitle: string | undefined;
  /** Undefined if the texts cannot be judged: the caller gave queries only. */
  readonly judged: JudgedBill | undefined;
}

/** Soft hyphens, joiners and marks of direction, which copied text brings along. */
const INVISIBLE = /\p{Cf}/gu;
/** Spellings per kind that are searched while the kind is unknown. */
const FIRST_FORMS = 3;
/** A number that is read out in fewer words also counts other things, and is searched with its prefix. */
const MIN_SPOKEN_WORDS = 3;

/**
 * The queries that find the speeches on a bill: its title as a phrase, and its number as it was typed and in the forms
 * that are spoken and captioned. A number without prefix is searched with the prefixes of both chambers.
 *
 * @param shortTitles also search "the Inflation Reduction bill" and "I.R.A."
 * @param vocabulary repairs titles that lost letters
 * @throws ValidationError if there is nothing to search for
 * @example
 * queryVariants({ title: "Inflation Reduction Act", number: "S. 12", … }, false, vocabulary).variants.map(({ query }) => query);
 * //=> ['"Inflation Reduction Act"', '"S. 12"', '"S 12"', '"S12"', '"Senate Bill 12"', '"S. twelve"', …]
 */
export function queryVariants(words: BillWords, shortTitles: boolean, vocabulary: Vocabulary): BillQueries {
  const { title, number, variants } = words;
  if (variants === undefined) checkBillWords(words);
  const titles = title === undefined ? NO_TITLES : titleVariants(title, words, shortTitles, vocabulary);
  const numbers = number === undefined ? undefined : numberVariants(number, words, titles.repaired);
  const own = [...titles.variants, ...(numbers?.variants ?? [])];
  const given = variants === undefined ? undefined : checkQueries(variants).map(givenVariant);
  if (given === undefined && own.length === 0) {
    throw invalid("title", title, "Give a title of two words or more, or the number with its prefix.");
  }
  const judged = { congress: words.congress ?? null, ...titles.patterns, ...(numbers?.judged ?? NO_NUMBER) };
  const canJudge = judged.titles.length > 0 || judged.number !== undefined || judged.literals.length > 0;
  const all = distinct(given ?? own);
  const known = new Set(all.map(keyOf));
  const later = given === undefined ? distinct(numbers?.later ?? []).filter((one) => !known.has(keyOf(one))) : [];
  const isDamaged = given === undefined && titles.patterns.titles.some(({ letters }) => letters.includes(" "));
  return { variants: all, later, damagedTitle: isDamaged ? title : undefined, judged: canJudge ? judged : undefined };
}

type TitleParts = Pick<JudgedBill, "titles" | "shortTitles" | "acronyms">;
const NO_TITLES: { variants: QueryVariant[]; patterns: TitleParts; repaired?: string | undefined } = {
  variants: [],
  patterns: { titles: [], shortTitles: [], acronyms: [] },
};
const NO_NUMBER: Pick<JudgedBill, "number" | "kinds" | "literals"> = { number: undefined, kinds: [], literals: [] };

function titleVariants(title: string, { isRow }: BillWords, shortTitles: boolean, vocabulary: Vocabulary) {
  const searched = isRow ? title.replace(OPERATORS, " ").replace(UNREADABLE, " ") : title;
  const repaired = repairTitle(searched, vocabulary);
  const plain = titlePatterns(repaired?.title ?? searched).filter(({ words }) => words.length >= MIN_TITLE_WORDS);
  const damaged = repaired === undefined ? [] : titlePatterns(searched, true);
  if (plain.length === 0) return NO_TITLES;
  const short = plain.flatMap(shortTitlesOf);
  const acronyms = plain.flatMap(acronymsOf);
  const form = (name: string, patterns: readonly TitlePattern[]) => patterns.map((one) => variant(one.title, name));
  return {
    repaired: repaired?.title,
    variants: [
      ...form(repaired === undefined ? "title" : "repaired title", plain),
      ...form("title as listed", damaged),
      ...(repaired?.intactPart === undefined ? [] : form("part of the title", titlePatterns(repaired.intactPart))),
      ...(shortTitles ? [...form("short title", short), ...form("acronym", acronyms)] : []),
    ],
    patterns: { titles: [...plain, ...damaged], shortTitles: short, acronyms },
  };
}

function numberVariants(typed: string, words: BillWords, repairedTitle: string | undefined) {
  const read = readBillNumber(typed);
  if (read === undefined) {
    return {
      variants: [variant(typed, "as typed")],
      later: [],
      judged: { ...NO_NUMBER, literals: titlePatterns(typed) },
    };
  }
  const { number } = read;
  const isBare = read.kinds.length === 0;
  const kinds = isBare ? kindsOf(words.link, number, repairedTitle ?? words.title) : read.kinds;
  const isAmbiguous = kinds.length > 1;
  const forms = kinds.flatMap((kind) => {
    const own = numberForms(kind, number).map((form) => ({ ...form, kind: form.isBare ? undefined : kind }));
    return own.map((form, at) => ({ ...form, isLater: isAmbiguous && at >= FIRST_FORMS }));
  });
  const toVariant = ({ query, form, kind }: (typeof forms)[number]): LaterVariant => ({
    ...variant(query, form),
    isAmbiguous: isAmbiguous && kind !== undefined,
    kind,
  });
  return {
    variants: [
      ...(isBare ? [] : [variant(typed, "as typed")]),
      ...forms.filter(({ isLater }) => !isLater).map(toVariant),
    ],
    later: forms.filter(({ isLater }) => isLater).map(toVariant),
    judged: { number, kinds, literals: [] },
  };
}

/** A form of a number. */
interface NumberForm {
  readonly query: string;
  readonly form: string;
  /** It is the same for all kinds: a number in words. */
  readonly isBare: boolean;
}

/**
 * The number of a bill in the forms that are spoken and captioned.
 *
 * @example
 * numberForms("hr", "5376").map(({ query }) => query);
 * //=> ["H.R. 5376", "HR 5376", "H R 5376", "HR5376", "House Bill 5376", "fifty-three seventy-six", …]
 */
export function numberForms(kind: BillKind, number: string): NumberForm[] {
  const { forms, spoken } = BILL_KINDS[kind];
  const words = spokenNumbers(number).flatMap((said, at) => {
    const how = SPOKEN_FORMS[at] as string;
    if (said.split(/[ -]/).length >= MIN_SPOKEN_WORDS) return [{ query: said, form: how, isBare: true }];
    return spoken.map((form) => ({ query: form.replace("#", said), form: form.replace("#", how), isBare: false }));
  });
  return [...forms.map((form) => ({ query: form.replace("#", number), form, isBare: false })), ...words];
}

/** The ways of {@link spokenNumbers}. */
const SPOKEN_FORMS = ["# in words", "# digit by digit", "# in full"];

/** A query for a phrase. */
export function variant(text: string, form: string): QueryVariant {
  return { query: phrase(text) ?? '""', form, isAmbiguous: false };
}

function givenVariant(query: string): QueryVariant {
  return { query, form: "given", isAmbiguous: false };
}

/** Each query once, ignoring case. */
function distinct<V extends QueryVariant>(variants: readonly V[]): V[] {
  const known = new Map<string, V>();
  for (const one of variants) if (!known.has(keyOf(one))) known.set(keyOf(one), one);
  return [...known.values()];
}

function keyOf({ query }: QueryVariant): string {
  return query.toLowerCase();
}

/**
 * A string as a quoted phrase, which the service finds word for word. Inner quotes and invisible characters are removed, white
 * space is collapsed.
 *
 * @returns undefined if nothing is left
 * @example
 * phrase('The  "Inflation" Act'); //=> '"The Inflation Act"'
 */
export function phrase(text: string): string | undefined {
  const words = text.replace(INVISIBLE, "").replaceAll('"', "").trim().replace(/\s+/g, " ");
  return words === "" ? undefined : `"${words}"`;
}

const MAX_LINK_LENGTH = 2000;
/** How links spell a kind besides its abbreviation. */
const LINK_NAMES: ReadonlyMap<string, BillKind> = new Map<string, BillKind>([
  ["house-bill", "hr"],
  ["senate-bill", "s"],
  ["house-resolution", "hres"],
  ["senate-resolution", "sres"],
  ["house-joint-resolution", "hjres"],
  ["senate-joint-resolution", "sjres"],
  ["house-concurrent-resolution", "hconres"],
  ["senate-concurrent-resolution", "sconres"],
  ["house-amendment", "hamdt"],
  ["senate-amendment", "samdt"],
]);
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
export function kindsOf(link: string | undefined, number: string, title: string | undefined): readonly BillKind[] {
  const linked = link === undefined ? undefined : kindOfLink(link.slice(0, MAX_LINK_LENGTH).toLowerCase(), number);
  if (linked !== undefined) return [linked];
  const trimmed = (title ?? "").trim();
  return TITLE_HINTS.find(([pattern]) => pattern.test(trimmed))?.[1] ?? ["hr", "s"];
}

function kindOfLink(link: string, number: string): BillKind | undefined {
  const parts = link.match(/[a-z.-]+|\d+/g) ?? [];
  for (let at = 1; at < parts.length; at++) {
    const words = (parts[at - 1] as string).split(/[.-]/).filter(Boolean);
    const kind = LINK_NAMES.get(words.join("-")) ?? ALL_KINDS.find((known) => known === words.join(""));
    if (parts[at] === number && kind !== undefined) return kind;
  }
  return undefined;
}
