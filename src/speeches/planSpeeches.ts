import type { OutputSettings } from "../call/clientSettings.js";
import { type CheckedCall, checkCall } from "../call/execution.js";
import { boolean, checkedOptions, invalid, nonEmptyString, nonNegativeInteger, oneOf } from "../errors/validators.js";
import { CHAMBERS, type Chamber } from "../members/speakers.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { congressDates } from "../util/congress.js";
import { BILL_MEMBERS, checkBill, type GivenBill, splitArguments } from "./givenBill.js";
import { type BillQueries, isWithin, type QueryVariant, queryVariants, TITLE_STEM } from "./queryVariants.js";
import { type Vocabulary, vocabularyOf } from "./repairTitle.js";

/** A bill as results name it; null for what was not given. */
export interface BillName {
  title: string | null;
  number: string | null;
  congress: number | null;
}

/** One search: a query variant in one video type, or in all of them. */
export interface SpeechSearch extends QueryVariant {
  /** Undefined for a search of every type: the rows tell theirs. */
  readonly videotype: string | undefined;
  readonly request: ArchiveRequest;
  /** It only shows the number that rows have for its type: one row is enough. */
  readonly isProbe?: boolean;
}

/** Where the speeches are searched. */
export interface SearchScope {
  readonly videotypes: readonly string[];
  readonly mindate: string | undefined;
  readonly maxdate: string | undefined;
  /** Search for all video types at once where few rows are expected. */
  readonly combineTypes: boolean;
}

export interface BillPlan extends SearchScope, BillQueries {
  readonly bill: BillName;
}

export interface SpeechesPlan extends Pick<CheckedCall, "maxItems" | "format" | "engine" | "signal"> {
  readonly bills: readonly BillPlan[];
  /** The caller gave a list of bills, if only of one. */
  readonly isList: boolean;
  readonly videotypes: readonly string[];
  readonly chamber: Chamber;
  readonly allowUnresolved: boolean;
  readonly maxRequests: number | undefined;
  readonly minConfidence: number;
  readonly inferSpeakers: boolean;
}

const CALL_OPTIONS = ["mindate", "maxdate", "maxItems", "format", "engine", "signal"];
const OWN_OPTIONS = "videotypes chamber allowUnresolved minConfidence shortTitles inferSpeakers maxRequests".split(" ");
/** Texts with less are more often about something else: measured by `npm run bench -- linking`. */
const MIN_CONFIDENCE = 0.5;
const VIDEOTYPES = ["Speech", "Debate"];

/**
 * Validates the arguments of `speechesOnBill` and plans its searches.
 *
 * @throws ValidationError before any request
 */
export function planSpeeches(first: unknown, second: unknown, defaults: OutputSettings): SpeechesPlan {
  const { bills, isList, options: given } = splitArguments(first, second);
  const members = isList ? [] : ["bill", ...BILL_MEMBERS];
  const options = checkedOptions(given, [...members, ...OWN_OPTIONS, ...CALL_OPTIONS], "option of speechesOnBill");
  const callOptions = Object.fromEntries(CALL_OPTIONS.map((name) => [name, options[name]]));
  // Validates the options even if the list of bills is empty.
  const { format, engine, maxItems, signal } = checkCall("mentions", "bill", callOptions, defaults);
  const flag = (name: string, byDefault = false) =>
    options[name] === undefined ? byDefault : boolean(name, options[name]);
  const { maxRequests, chamber = "senate", mindate, maxdate } = options as Record<string, string | undefined>;
  const settings = {
    videotypes: checkVideotypes(options.videotypes),
    shortTitles: flag("shortTitles"),
    vocabulary: titlesOf(bills),
    combineTypes: maxItems === undefined,
    mindate,
    maxdate,
  };
  return {
    bills: bills.map((bill) => planBill(bill, settings)),
    isList,
    videotypes: settings.videotypes,
    chamber: oneOf("chamber", chamber, CHAMBERS),
    allowUnresolved: flag("allowUnresolved"),
    maxItems,
    maxRequests: maxRequests === undefined ? undefined : nonNegativeInteger("maxRequests", maxRequests, 50),
    minConfidence: checkConfidence(options.minConfidence ?? MIN_CONFIDENCE),
    inferSpeakers: flag("inferSpeakers", true),
    format,
    engine,
    signal,
  };
}

/**
 * Plans the searches for one bill.
 *
 * @throws ValidationError
 */
function planBill(
  given: GivenBill,
  settings: SearchScope & { readonly shortTitles: boolean; readonly vocabulary: Vocabulary },
): BillPlan {
  const { videotypes, combineTypes, shortTitles, vocabulary } = settings;
  const bill = checkBill(given);
  const { title = null, number = null, congress = null } = bill;
  const isOfCongress = congress !== null && settings.mindate === undefined && settings.maxdate === undefined;
  const { mindate, maxdate } = isOfCongress ? congressDates(congress) : settings;
  const queries = queryVariants(bill, shortTitles, vocabulary);
  return { bill: { title, number, congress }, ...queries, videotypes, combineTypes, mindate, maxdate };
}

/** The vocabulary that repairs titles which lost letters. */
function titlesOf(bills: readonly GivenBill[]): Vocabulary {
  return vocabularyOf(bills.flatMap(({ title }) => (typeof title === "string" ? [title] : [])));
}

/**
 * The queries to begin with. A title without its last word finds the title, too, and what is said instead, so that it is searched first:
 * if it finds little, the others are not needed.
 */
export function firstVariants({ variants, combineTypes }: BillPlan): QueryVariant[] {
  const first = variants.filter(({ isLater }) => !isLater);
  const stems = combineTypes ? variants.filter(({ form }) => form === TITLE_STEM) : [];
  return [...new Set(first.map((one) => stems.find((stem) => isWithin(one, stem)) ?? one))];
}

/** The searches for some queries: each in all video types at once, or in every one of them. */
export function searchesFor(
  variants: readonly QueryVariant[],
  scope: SearchScope,
  byType = !scope.combineTypes || scope.videotypes.length === 1,
): SpeechSearch[] {
  return variants.flatMap((variant) => {
    const types = byType || variant.form === "given" ? scope.videotypes : [undefined];
    return types.map((type) => searchFor(variant, scope, type));
  });
}

export function searchFor(
  variant: QueryVariant,
  { mindate, maxdate }: SearchScope,
  videotype: string | undefined,
): SpeechSearch {
  const request = buildRequest("mentions", { query: variant.query, mindate, maxdate, videotype });
  return { ...variant, videotype, request };
}

function checkConfidence(value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw invalid("minConfidence", value, "Give a number from 0 to 1, for example minConfidence: 0.8.");
}

function checkVideotypes(value: unknown): readonly string[] {
  if (value === undefined) return VIDEOTYPES;
  if (Array.isArray(value) && value.length > 0) {
    return [...new Set(value.map((videotype) => nonEmptyString("videotypes", videotype).trim()))];
  }
  throw invalid("videotypes", value, `Give a list of video types, for example videotypes: ["Hearing"].`);
}
