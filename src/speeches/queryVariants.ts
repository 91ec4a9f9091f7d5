import { invalid } from "../errors/validators.js";
import { type CheckedBill, MIN_TITLE_WORDS, NOT_SEARCHED } from "./checkBill.js";
import { readBillNumber } from "./judge/billKinds.js";
import type { JudgedBill } from "./judge/judge.js";
import { acronymsOf, shortTitlesOf, type TitlePattern, titlePatterns } from "./judge/titlePattern.js";
import { kindsOf, numberVariants } from "./numberVariants.js";
import { repairTitle, type Vocabulary } from "./repairTitle.js";
import { type QueryVariant, TITLE_STEM, variant } from "./variant.js";

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

/** What title or number say. */
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
