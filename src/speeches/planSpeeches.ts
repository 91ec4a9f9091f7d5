import { checkedBudget } from "../call/callOptions.js";
import type { OutputSettings } from "../call/clientContext.js";
import { type CheckedCall, checkCall } from "../call/execution.js";
import { boolean, checkedOptions, invalid, nonEmptyString, oneOf } from "../errors/validators.js";
import { CHAMBERS, type Chamber } from "../members/speakers.js";
import type { RequestBudget } from "../service/http/requester.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { congressDates } from "../util/congress.js";
import { BILL_MEMBERS, type CheckedBill, SPEECH_OPTIONS, splitArguments } from "./bills.js";
import { type BillQueries, type QueryVariant, queryVariants } from "./queryVariants.js";

/** A bill in results. */
export interface BillName {
  title: string | null;
  number: string | null;
  congress: number | null;
}

/** One search: a query variant in one video type, or in all of them. */
export interface SpeechSearch extends QueryVariant {
  /** Undefined for a search of all types. */
  readonly videotype: string | undefined;
  readonly request: ArchiveRequest;
}

interface SearchScope {
  readonly videotypes: readonly string[];
  readonly mindate: string | undefined;
  readonly maxdate: string | undefined;
  /** Search all video types at once. */
  readonly combineTypes: boolean;
}

export interface BillPlan extends SearchScope, BillQueries {
  readonly bill: BillName;
  /** The title or the number as typed, if only a part of it is searched. */
  readonly typedText: string | undefined;
}

export interface SpeechesPlan extends Pick<CheckedCall, "maxItems" | "format" | "engine" | "signal"> {
  readonly bills: readonly BillPlan[];
  /** The caller gave a list, perhaps of one bill. */
  readonly isList: boolean;
  readonly videotypes: readonly string[];
  readonly chamber: Chamber;
  readonly minConfidence: number;
  readonly inferSpeakers: boolean;
  readonly budget: RequestBudget | undefined;
}

const CALL_OPTIONS = ["mindate", "maxdate", "maxItems", "format", "engine", "signal"];
/** Texts below it are usually about something else: measured by `npm run bench -- linking`. */
const MIN_CONFIDENCE = 0.5;
const VIDEOTYPES = ["Speech", "Debate"];

/**
 * Validates the arguments of `speechesOnBill` and plans its searches.
 *
 * @throws ValidationError before any request
 */
export function planSpeeches(billsOrBill: unknown, options: unknown, defaults: OutputSettings): SpeechesPlan {
  const { bills, isList, options: typedOptions } = splitArguments(billsOrBill, options);
  const names = [...(isList ? [] : BILL_MEMBERS), ...SPEECH_OPTIONS, ...CALL_OPTIONS];
  const checked = checkedOptions(typedOptions, names, "option of speechesOnBill");
  const callOptions = Object.fromEntries(CALL_OPTIONS.map((name) => [name, checked[name]]));
  // Validates the options even if the list of bills is empty.
  const { format, engine, maxItems, signal } = checkCall("mentions", "bill", callOptions, defaults);
  const { maxRequests, chamber = "senate", mindate, maxdate } = checked as Record<string, string | undefined>;
  const videotypes = checkVideotypes(checked.videotypes);
  const scope = { videotypes, combineTypes: maxItems === undefined && videotypes.length > 1, mindate, maxdate };
  return {
    bills: bills.map((bill) => planBill(bill, scope, maxItems === undefined)),
    isList,
    videotypes,
    chamber: oneOf("chamber", chamber, CHAMBERS),
    maxItems,
    minConfidence: checkConfidence(checked.minConfidence ?? MIN_CONFIDENCE),
    inferSpeakers: boolean("inferSpeakers", checked.inferSpeakers ?? true),
    budget: checkedBudget(maxRequests),
    format,
    engine,
    signal,
  };
}

function planBill(bill: CheckedBill, scope: SearchScope, withStems: boolean): BillPlan {
  const { title = null, number = null, congress = null, typedText } = bill;
  const hasDates = scope.mindate !== undefined || scope.maxdate !== undefined;
  const dates = congress === null || hasDates ? {} : congressDates(congress);
  const combineTypes = scope.combineTypes && bill.variants === undefined;
  return {
    bill: { title, number, congress },
    typedText,
    ...queryVariants(bill, withStems),
    ...scope,
    ...dates,
    combineTypes,
  };
}

/** A search for each query, or one for each of its video types. */
export function searchesFor(
  variants: readonly QueryVariant[],
  { mindate, maxdate, videotypes, combineTypes }: SearchScope,
): SpeechSearch[] {
  return variants.flatMap((variant) =>
    (combineTypes ? [undefined] : videotypes).map((videotype) => {
      const request = buildRequest("mentions", { query: variant.query, mindate, maxdate, videotype });
      return { ...variant, videotype, request };
    }),
  );
}

function checkConfidence(value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw invalid("minConfidence", value, "Give a number from 0 to 1, for example minConfidence: 0.8.");
}

function checkVideotypes(value: unknown): readonly string[] {
  if (value === undefined) return VIDEOTYPES;
  if (Array.isArray(value) && value.length > 0)
    return [...new Set(value.map((videotype) => nonEmptyString("videotypes", videotype).trim()))];
  throw invalid("videotypes", value, `Give a list of video types, for example videotypes: ["Hearing"].`);
}
