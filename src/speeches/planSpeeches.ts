import { checkCall } from "../call/callOptions.js";
import type { OutputSettings } from "../call/clientSettings.js";
import type { Format } from "../call/formats.js";
import { boolean, checkedOptions, invalid, nonEmptyString, nonNegativeInteger, oneOf } from "../errors/validators.js";
import type { Engine } from "../frames/engine.js";
import { checkCongress, congressDates, ordinal } from "../members/congressDates.js";
import { checkLegislators, type Legislators } from "../members/legislators.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import type { JudgedBill } from "./judge/judge.js";
import { type LaterVariant, type QueryVariant, queryVariants } from "./queryVariants.js";
import { type Vocabulary, vocabularyOf } from "./repairTitle.js";
import { CHAMBERS, type Chamber } from "./speakers.js";
import { type GivenBill, splitArguments } from "./splitArguments.js";

/** A bill as results name it; null for what was not given. */
export interface BillName {
  title: string | null;
  number: string | null;
  congress: number | null;
}

/** One search: a query variant in one video type. */
export interface SpeechSearch {
  readonly query: string;
  /** See {@link QueryVariant}. */
  readonly form: string;
  readonly isAmbiguous: boolean;
  readonly videotype: string;
  readonly request: ArchiveRequest;
}

/** The searches for one bill. */
export interface BillPlan {
  readonly bill: BillName;
  readonly variants: readonly QueryVariant[];
  /** Queries that depend on what the others find. */
  readonly later: readonly LaterVariant[];
  readonly damagedTitle: string | undefined;
  /** What the texts have to name; undefined for queries of the caller alone. */
  readonly judged: JudgedBill | undefined;
  /** Variants × video types, in this order. */
  readonly searches: readonly SpeechSearch[];
  readonly mindate: string | undefined;
  readonly maxdate: string | undefined;
  /** The dates are those of the Congress. */
  readonly hasCongressDates: boolean;
}

/** A validated call of `speechesOnBill`. */
export interface SpeechesPlan {
  readonly bills: readonly BillPlan[];
  /** The caller gave a list of bills, if only of one. */
  readonly isList: boolean;
  readonly videotypes: readonly string[];
  readonly chamber: Chamber;
  readonly allowUnresolved: boolean;
  readonly maxItems: number | undefined;
  readonly maxRequests: number | undefined;
  readonly minConfidence: number;
  readonly continuation: boolean;
  readonly inferSpeakers: boolean;
  /** True for the default ones; undefined to decide by titles. */
  readonly members: true | Legislators | undefined;
  readonly format: Format;
  readonly engine: Engine;
  readonly signal: AbortSignal | undefined;
}

const WHAT = "option of speechesOnBill";
const CALL_OPTIONS = ["mindate", "maxdate", "maxItems", "format", "engine", "signal"];
const OPTIONS = [
  "videotypes",
  "chamber",
  "allowUnresolved",
  "minConfidence",
  "shortTitles",
  "continuation",
  "inferSpeakers",
  "members",
  "maxRequests",
  ...CALL_OPTIONS,
];
/** Texts with less are more often about something else: measured by `npm run bench -- linking`. */
export const MIN_CONFIDENCE = 0.5;
const VIDEOTYPES = ["Speech", "Debate"];

/**
 * Validates the arguments of `speechesOnBill` and plans its searches.
 *
 * @throws ValidationError before any request
 */
export function planSpeeches(first: unknown, second: unknown, defaults: OutputSettings): SpeechesPlan {
  const { bills, isList, options: given } = splitArguments(first, second);
  const options = checkedOptions(
    given,
    isList ? OPTIONS : ["title", "number", "congress", "bill", "variants", ...OPTIONS],
    WHAT,
  );
  const callOptions = Object.fromEntries(CALL_OPTIONS.map((name) => [name, options[name]]));
  // Validates the options even if the list of bills is empty.
  const { format, engine, maxItems, signal } = checkCall("mentions", "bill", callOptions, defaults);
  const chamber = options.chamber === undefined ? "senate" : oneOf("chamber", options.chamber, CHAMBERS);
  const flag = (name: string) => (options[name] === undefined ? false : boolean(name, options[name]));
  const [allowUnresolved, shortTitles, continuation] = [
    flag("allowUnresolved"),
    flag("shortTitles"),
    flag("continuation"),
  ];
  const minConfidence = options.minConfidence === undefined ? MIN_CONFIDENCE : checkConfidence(options.minConfidence);
  const maxRequests =
    options.maxRequests === undefined ? undefined : nonNegativeInteger("maxRequests", options.maxRequests, 50);
  const videotypes = checkVideotypes(options.videotypes);
  const vocabulary = titlesOf(bills);
  const { mindate, maxdate } = options as BillDates;
  const plans = bills.map((bill) => planBill(bill, { videotypes, shortTitles, vocabulary, mindate, maxdate }));
  const inferSpeakers = options.inferSpeakers === undefined || boolean("inferSpeakers", options.inferSpeakers);
  const limits = {
    maxItems,
    maxRequests,
    minConfidence,
    continuation,
    inferSpeakers,
    members: checkMembers(options.members),
  };
  return { bills: plans, isList, videotypes, chamber, allowUnresolved, ...limits, format, engine, signal };
}

type BillDates = Pick<BillPlan, "mindate" | "maxdate">;

/** What the plans of several bills share. */
export interface BillSettings extends BillDates {
  readonly videotypes: readonly string[];
  readonly shortTitles: boolean;
  readonly vocabulary: Vocabulary;
}

/**
 * Plans the searches for one bill.
 *
 * @throws ValidationError
 */
export function planBill(bill: GivenBill, settings: BillSettings): BillPlan {
  const { videotypes, shortTitles, vocabulary } = settings;
  const title = bill.title === undefined ? undefined : nonEmptyString("title", bill.title, "Inflation Reduction Act");
  const number = bill.number === undefined ? undefined : checkNumber(bill.number);
  const congress = bill.congress === undefined ? undefined : checkCongress(bill.congress);
  const link = typeof bill.link === "string" ? bill.link : undefined;
  const words = { title, number, congress, link, variants: bill.variants, isRow: bill.isRow === true };
  const { variants, later, damagedTitle, judged } = queryVariants(words, shortTitles, vocabulary);
  const hasCongressDates = congress !== undefined && settings.mindate === undefined && settings.maxdate === undefined;
  const { mindate, maxdate }: BillDates = hasCongressDates ? congressDates(congress) : settings;
  return {
    bill: { title: title ?? null, number: number ?? null, congress: congress ?? null },
    variants,
    later,
    damagedTitle,
    judged,
    searches: searchesFor(variants, videotypes, { mindate, maxdate }),
    mindate,
    maxdate,
    hasCongressDates,
  };
}

/** A bill as people read it: `Inflation Reduction Act, H.R. 5376, 117th Congress`. */
export function billText({ title, number, congress }: BillName): string {
  const parts = [title, number, congress === null ? null : `${ordinal(congress)} Congress`];
  return parts.filter((part) => part !== null).join(", ") || "custom queries";
}

/** The vocabulary that repairs titles which lost letters. */
export function titlesOf(bills: readonly GivenBill[]): Vocabulary {
  return vocabularyOf(bills.flatMap(({ title }) => (typeof title === "string" ? [title] : [])));
}

/** The searches for some queries: each in every video type. */
export function searchesFor(
  variants: readonly QueryVariant[],
  videotypes: readonly string[],
  { mindate, maxdate }: Pick<BillPlan, "mindate" | "maxdate">,
): SpeechSearch[] {
  return variants.flatMap((variant) =>
    videotypes.map((videotype) => ({
      ...variant,
      videotype,
      request: buildRequest("mentions", { query: variant.query, mindate, maxdate, videotype }),
    })),
  );
}

export function checkConfidence(value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw invalid("minConfidence", value, "Give a number from 0 to 1, for example minConfidence: 0.8.");
}

function checkNumber(value: unknown): string {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return String(value);
  return nonEmptyString("number", value, "H.R. 5376");
}

export function checkVideotypes(value: unknown): readonly string[] {
  if (value === undefined) return VIDEOTYPES;
  if (Array.isArray(value) && value.length > 0) {
    return [...new Set(value.map((videotype) => nonEmptyString("videotypes", videotype).trim()))];
  }
  const example = typeof value === "string" && value !== "" ? [value] : VIDEOTYPES;
  throw invalid("videotypes", value, `Give a list of video types, for example videotypes: ${JSON.stringify(example)}.`);
}

function checkMembers(given: unknown): SpeechesPlan["members"] {
  if (given === undefined || given === false) return undefined;
  return given === true ? true : checkLegislators(given as Legislators, "records", "members");
}
