import { checkCall } from "../call/callOptions.js";
import type { OutputSettings } from "../call/clientSettings.js";
import type { Format } from "../call/formats.js";
import { boolean, checkedOptions, invalid, nonEmptyString, oneOf } from "../errors/validators.js";
import type { Engine } from "../frames/engine.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { CHAMBERS, type Chamber } from "./chamber.js";
import { checkCongress, congressDates } from "./congressDates.js";
import { queryVariants } from "./queryVariants.js";
import { splitArguments } from "./splitArguments.js";

/** A bill as results name it; null for what was not given. */
export interface BillName {
  title: string | null;
  number: string | null;
  congress: number | null;
}

/** One search: a query variant in one video type. */
export interface SpeechSearch {
  readonly query: string;
  readonly videotype: string;
  readonly request: ArchiveRequest;
}

/** The searches for one bill. */
export interface BillPlan {
  readonly bill: BillName;
  readonly variants: readonly string[];
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
  readonly format: Format;
  readonly engine: Engine;
  readonly signal: AbortSignal | undefined;
}

const WHAT = "option of speechesOnBill";
const CALL_OPTIONS = ["mindate", "maxdate", "maxItems", "format", "engine", "signal"];
const OPTIONS = ["videotypes", "chamber", "allowUnresolved", ...CALL_OPTIONS];
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
  const allowUnresolved =
    options.allowUnresolved === undefined ? false : boolean("allowUnresolved", options.allowUnresolved);
  const videotypes = checkVideotypes(options.videotypes);
  const plans = bills.map((bill): BillPlan => {
    const title = bill.title === undefined ? undefined : nonEmptyString("title", bill.title, "Inflation Reduction Act");
    const number = bill.number === undefined ? undefined : checkNumber(bill.number);
    const congress = bill.congress === undefined ? undefined : checkCongress(bill.congress);
    const variants = queryVariants({ title, number, variants: bill.variants });
    const hasCongressDates = congress !== undefined && options.mindate === undefined && options.maxdate === undefined;
    const dates = hasCongressDates ? congressDates(congress) : { mindate: options.mindate, maxdate: options.maxdate };
    const search = (query: string, videotype: string): SpeechSearch => {
      const { request } = checkCall("mentions", query, { ...dates, videotype }, defaults);
      return { query, videotype, request };
    };
    return {
      bill: { title: title ?? null, number: number ?? null, congress: congress ?? null },
      variants,
      searches: variants.flatMap((query) => videotypes.map((videotype) => search(query, videotype))),
      mindate: dates.mindate as string | undefined,
      maxdate: dates.maxdate as string | undefined,
      hasCongressDates,
    };
  });
  return { bills: plans, isList, videotypes, chamber, allowUnresolved, maxItems, format, engine, signal };
}

function checkNumber(value: unknown): string {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return String(value);
  return nonEmptyString("number", value, "H.R. 5376");
}

function checkVideotypes(value: unknown): readonly string[] {
  if (value === undefined) return VIDEOTYPES;
  if (Array.isArray(value) && value.length > 0) {
    return [...new Set(value.map((videotype) => nonEmptyString("videotypes", videotype).trim()))];
  }
  const example = typeof value === "string" && value !== "" ? [value] : VIDEOTYPES;
  throw invalid("videotypes", value, `Give a list of video types, for example videotypes: ${JSON.stringify(example)}.`);
}
