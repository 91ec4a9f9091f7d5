import { invalid } from "../errors/validators.js";
import { checkQueries, checkWords, MIN_TITLE_WORDS, NOT_SEARCHED } from "./checkBill.js";
import { readBillNumber } from "./judge/billKinds.js";
import type { JudgedBill } from "./judge/judge.js";
import { acronymsOf, shortTitlesOf, type TitlePattern, titlePatterns } from "./judge/titlePattern.js";
import { kindsOf, numberVariants } from "./numberVariants.js";
import { repairTitle, type Vocabulary } from "./repairTitle.js";
import type { GivenBill } from "./splitArguments.js";
import { type LaterVariant, type QueryVariant, TITLE_STEM, variant } from "./variant.js";

/** The queries for a bill, and what to look for in the texts that they find. */
export interface BillQueries {
  readonly variants: readonly QueryVariant[];
  /** Queries that depend on what the others find. */
  readonly later: readonly LaterVariant[];
  /** Undefined if the texts cannot be judged: the caller gave queries only. */
  readonly judged: JudgedBill | undefined;
}

/** A part of a title with fewer words finds too much else. */
const MIN_TELLING_WORDS = 3;

/** What the queries for a bill are made from. */
type BillWords = GivenBill &
  Readonly<Record<"title" | "number", string | undefined> & { congress: number | undefined }>;

/**
 * The queries that find the speeches on a bill: its title as a phrase, and its number in the forms that are spoken and captioned. A number
 * without prefix is searched with the prefixes of both chambers.
 *
 * @param shortTitles also search "the Inflation Reduction package" and "I.R.A."
 * @param vocabulary repairs titles that lost letters
 * @throws ValidationError if there is nothing to search for
 */
export function queryVariants(words: BillWords, shortTitles: boolean, vocabulary: Vocabulary): BillQueries {
  const { title, number, congress } = words;
  const given = words.variants === undefined ? undefined : checkQueries(words.variants);
  if (given === undefined) checkWords(words);
  const titles = title === undefined ? NO_TITLES : titleVariants(title, words, shortTitles, vocabulary);
  const numbers = number === undefined ? NO_NUMBER : billNumber(number, words, titles.repaired);
  const judged = { congress: congress ?? null, ...titles.patterns, ...numbers.judged };
  const canJudge = judged.titles.length > 0 || judged.number !== undefined || judged.literals.length > 0;
  if (given !== undefined) {
    const variants = given.map((query): QueryVariant => ({ query, form: "given", part: "given", isAmbiguous: false }));
    return { variants: distinct(variants), later: [], judged: canJudge ? judged : undefined };
  }
  const variants = distinct([...titles.first, ...numbers.first]);
  if (variants.length === 0)
    throw invalid("title", title, "Give a title of two words or more, or the number with its prefix.");
  const later = distinct([...variants, ...titles.later, ...numbers.later]).slice(variants.length) as LaterVariant[];
  return { variants, later, judged };
}

interface TitleQueries {
  readonly repaired?: string | undefined;
  readonly first: readonly QueryVariant[];
  readonly later: readonly LaterVariant[];
  readonly patterns: Pick<JudgedBill, "titles" | "shortTitles" | "acronyms">;
}

const NO_TITLES: TitleQueries = { first: [], later: [], patterns: { titles: [], shortTitles: [], acronyms: [] } };

function titleVariants(
  title: string,
  { isRow }: BillWords,
  shortTitles: boolean,
  vocabulary: Vocabulary,
): TitleQueries {
  const searched = isRow ? title.replace(NOT_SEARCHED, " ") : title;
  const repaired = repairTitle(searched, vocabulary);
  const plain = titlePatterns(repaired?.title ?? searched).filter(({ words }) => words.length >= MIN_TITLE_WORDS);
  if (plain.length === 0) return NO_TITLES;
  const damaged = repaired === undefined ? [] : titlePatterns(searched, true);
  const intact = repaired?.intactPart === undefined ? [] : titlePatterns(repaired.intactPart);
  const [short, acronyms] = [plain.flatMap(shortTitlesOf), plain.flatMap(acronymsOf)];
  const of = (form: string, patterns: readonly Pick<TitlePattern, "title">[]) =>
    patterns.map((one) => variant(one.title, form, "title"));
  return {
    repaired: repaired?.title,
    first: [
      ...of(repaired === undefined ? "title" : "repaired title", plain),
      ...intact.map(({ title: part, words }) => {
        const one = variant(part, "part of the title", "title");
        return words.length < MIN_TELLING_WORDS ? { ...one, isWide: true } : one;
      }),
      ...(shortTitles ? [...of("short title", short), ...of("acronym", acronyms)] : []),
    ],
    later: plain.flatMap(({ title: full, words }): LaterVariant[] => {
      if (words.at(-1) !== "act") return [];
      // "the Inflation Reduction Act's": a service may take it for another word.
      const after = variant(full, "title", "title").query;
      const possessive = { ...variant(`${full}'s`, "title in the possessive", "title"), after };
      const [bill] = shortTitlesOf({ title: full, words } as TitlePattern);
      if (bill === undefined) return [possessive];
      const stem = { ...variant(full.replace(/ act$/i, ""), TITLE_STEM, "title"), after, isWide: true };
      const short = { ...variant(bill.title, "short title", "title"), after };
      return [stem, possessive, short];
    }),
    patterns: { titles: [...plain, ...damaged], shortTitles: short, acronyms },
  };
}

interface NumberQueries {
  readonly first: readonly QueryVariant[];
  readonly later: readonly LaterVariant[];
  readonly judged: Pick<JudgedBill, "number" | "kinds" | "literals">;
}

const NO_NUMBER: NumberQueries = { first: [], later: [], judged: { number: undefined, kinds: [], literals: [] } };

function billNumber(typed: string, { link, title }: BillWords, repairedTitle: string | undefined): NumberQueries {
  const read = readBillNumber(typed);
  if (read === undefined) {
    const judged = { ...NO_NUMBER.judged, literals: titlePatterns(typed) };
    return { first: [variant(typed, "as typed", "number")], later: [], judged };
  }
  const { number } = read;
  const kinds = read.kinds.length > 0 ? read.kinds : kindsOf(link, number, repairedTitle ?? title);
  return { ...numberVariants(typed, number, kinds), judged: { number, kinds, literals: [] } };
}

/** Each query once, ignoring case. */
function distinct<V extends QueryVariant>(variants: readonly V[]): V[] {
  const known = new Map<string, V>();
  for (const one of variants) if (!known.has(one.query.toLowerCase())) known.set(one.query.toLowerCase(), one);
  return [...known.values()];
}
