import { invalid, show } from "../errors/validators.js";
import { BILL_KINDS, type BillKind, readBillNumber } from "./judge/billKinds.js";
import type { JudgedBill } from "./judge/judge.js";
import { spokenNumbers } from "./judge/numberWords.js";
import { acronymsOf, shortTitlesOf, type TitlePattern, titlePatterns } from "./judge/titlePattern.js";
import { repairTitle, type Vocabulary } from "./repairTitle.js";

/** What the queries for a bill are made from. */
export interface BillWords {
  readonly title: string | undefined;
  readonly number: string | undefined;
  readonly congress: number | undefined;
  /** Queries that replace those made from title and number. */
  readonly variants?: unknown;
  /** The link of a row of bills, which may tell the chamber. */
  readonly link?: unknown;
  /** It is a row of bills: nobody typed its title. */
  readonly isRow?: boolean;
}

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
/** A title of one word is a subject. */
const MIN_TITLE_WORDS = 2;
/** Longer than the title of any bill; a longer query does not fit into a URL everywhere. */
const MAX_LENGTH = 2000;
/** Longer than the number of any bill in any spelling. */
const MAX_NUMBER_LENGTH = 100;
/** Characters that a search may take for operators, controls, and halves of characters. */
const NOT_SEARCHED = /["“”*?\\]|(?!\s)\p{Cc}|\p{Cs}/gu;
/** What the number of a bill may consist of: "S. Amdt. #5,194", "P.L. 117-169". */
const NUMBER_CHARACTERS = /^[\p{L}\d\s.,'’#()/-]*$/u;
/** "H.R. 5 and H.R. 6", "H.R. 5, 6". */
const SEVERAL_NUMBERS = /\d\D{0,100}[a-z]\D{0,100}\d|\d[,;]\s{1,100}\d/i;
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
  if (variants === undefined) checkWords(words);
  const titles = title === undefined ? NO_TITLES : titleVariants(title, words, shortTitles, vocabulary);
  const numbers = number === undefined ? undefined : numberVariants(number, words, titles.repaired);
  const own = [...titles.variants, ...(numbers?.variants ?? [])];
  const given = variants === undefined ? undefined : checkQueries(variants);
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
  const searched = isRow ? title.replace(NOT_SEARCHED, " ") : title;
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
  const asTyped = variant(typed, "as typed");
  const read = readBillNumber(typed);
  if (read === undefined) {
    return { variants: [asTyped], later: [], judged: { ...NO_NUMBER, literals: titlePatterns(typed) } };
  }
  const { number } = read;
  const isBare = read.kinds.length === 0;
  const kinds = isBare ? kindsOf(words.link, number, repairedTitle ?? words.title) : read.kinds;
  const isUnknown = kinds.length > 1;
  const forms = kinds.flatMap((kind) =>
    numberForms(kind, number).map(({ query, form, isBare }, at) => ({
      ...variant(query, form),
      isAmbiguous: isUnknown && !isBare,
      kind: isBare ? undefined : kind,
      isLater: isUnknown && at >= FIRST_FORMS,
    })),
  );
  return {
    variants: [...(isBare ? [] : [asTyped]), ...forms.filter(({ isLater }) => !isLater)],
    later: forms.filter(({ isLater }) => isLater),
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
  const parts =
    typeof link === "string"
      ? (link
          .slice(0, MAX_LENGTH)
          .toLowerCase()
          .match(/[a-z.-]+|\d+/g) ?? [])
      : [];
  for (const [at, part] of parts.entries()) {
    const kinds = part === number ? (readBillNumber(`${parts[at - 1]} ${number}`)?.kinds ?? []) : [];
    if (kinds.length === 1) return kinds;
  }
  const trimmed = (title ?? "").trim();
  return TITLE_HINTS.find(([pattern]) => pattern.test(trimmed))?.[1] ?? ["hr", "s"];
}

/**
 * Checks title and number of a bill. Rows of bills, which nobody typed, may have any title.
 *
 * @throws ValidationError unless there is something to search for
 */
function checkWords({ title, number, isRow }: BillWords): void {
  if (title === undefined && number === undefined) {
    const example = '{ title: "Inflation Reduction Act", number: "H.R. 5376" }';
    throw invalid("bill", undefined, `Give its title, its number or both, for example ${example}.`);
  }
  if (title !== undefined) checkTitle(title, isRow === true);
  if (number !== undefined) checkNumber(number, title !== undefined || isRow === true);
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

/** Checks queries of the caller. */
function checkQueries(variants: unknown): QueryVariant[] {
  const isQuery = (query: unknown) =>
    typeof query === "string" &&
    query.length <= MAX_LENGTH &&
    /[\p{L}\p{Nd}]/u.test(query) &&
    !/(?!\s)\p{Cc}|\p{Cs}/u.test(query);
  if (Array.isArray(variants) && variants.length > 0 && variants.every(isQuery)) {
    return variants.map((query) => ({ query, form: "given", isAmbiguous: false }));
  }
  const example = `variants: ['"Inflation Reduction Act"', '"I.R.A."']`;
  throw invalid(
    "variants",
    variants,
    `Give a list of queries of at most ${MAX_LENGTH} characters, for example ${example}.`,
  );
}
