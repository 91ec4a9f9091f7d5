import { ArchiveError, ValidationError } from "../errors/index.js";
import { unknownColumn } from "../errors/validators.js";
import type { PolarsFrame } from "../frames/polars.js";
import { missingColumn } from "../frames/provenanceOf.js";
import { rangeOf } from "../frames/where.js";
import { type OperationName, takes } from "../service/operations/operations.js";
import { withCongressDates } from "../service/operations/parameters.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import type { PageSize } from "../service/paging/page.js";
import { isObject } from "../util/objects.js";
import { DAY } from "../util/period.js";
import { escaped } from "../util/text.js";
import type { Verb } from "./verbs.js";

/** A search and the verbs to apply to its rows. */
export interface ScanQuery<N extends OperationName = OperationName> {
  readonly operation: N;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly verbs: readonly Verb[];
}

/** How a scan will run. */
export interface ScanPlan {
  /** The first request, including the parameters that were pushed down. */
  readonly request: ArchiveRequest;
  readonly pushedParameters: PushedParameters;
  /** The verbs that run page by page, in order. */
  readonly pageVerbs: readonly Verb[];
  /** The first verb that needs all rows, and every verb after it. */
  readonly allRowsVerbs: readonly Verb[];
  /** The number of rows to request, if a `head` comes before any filter. */
  readonly rowsNeeded: number | undefined;
  /** A `head` follows a filter: only the rows tell when it is complete, so no page is requested ahead. */
  readonly mayEndEarly: boolean;
}

export function planScan({ operation, parameters: callParameters, verbs }: ScanQuery): ScanPlan {
  const parameters = callParameters.congress == null ? callParameters : withCongressDates(callParameters);
  const pushedParameters = pushdown(operation, parameters, verbs);
  const firstGather = verbs.findIndex(({ kind }) => kind === "gather");
  const gather = firstGather < 0 ? verbs.length : firstGather;
  const pageVerbs = verbs.slice(0, gather);
  const firstFilter = pageVerbs.findIndex(({ conditions }) => conditions !== undefined);
  const leadingHeads = pageVerbs.slice(0, firstFilter < 0 ? gather : firstFilter).flatMap(({ rows }) => rows ?? []);
  return {
    request: buildRequest(operation, { ...parameters, ...pushedParameters }),
    pushedParameters,
    pageVerbs,
    allRowsVerbs: verbs.slice(gather),
    rowsNeeded: leadingHeads.length === 0 ? undefined : Math.min(...leadingHeads),
    mayEndEarly: pageVerbs.filter(({ kind }) => kind === "head").length > leadingHeads.length,
  };
}

export function explainPlan(plan: ScanPlan, pageSize: PageSize): string {
  const { request, pushedParameters, pageVerbs, allRowsVerbs, rowsNeeded } = plan;
  const parameters: Record<string, unknown> = Object.fromEntries(request.query);
  if (takes(request.operation, "limit")) parameters.limit ??= Math.min(pageSize.full, rowsNeeded || pageSize.full);
  const { limit } = parameters;
  const list = (entries: object) =>
    Object.entries(entries)
      .map((entry) => entry.join("="))
      .join("  ");
  const allPages = `one per ${limit === undefined ? "page" : `page of ${limit} rows`}, and one to confirm the end`;
  const isBounded = rowsNeeded !== undefined && limit !== undefined;
  const atMost = isBounded ? String(Math.ceil(rowsNeeded / Number(limit))) : allPages;
  const lines = [
    `SCAN ${request.operation}`,
    `  request    GET ${request.path}  ${list(parameters)}`,
    `  pushed     ${list(pushedParameters) || "nothing"}`,
    ...pageVerbs.map(({ step }) => `  by page    ${step.text}`),
    ...allRowsVerbs.map(({ step }, at) => `  ${at === 0 ? "all rows  " : "then      "} ${step.text}`),
    `  requests   ${rowsNeeded === 0 ? "none" : `at most ${atMost}`}`,
  ];
  // A query or a column name may contain anything.
  return lines.map((text) => escaped(text, 2000)).join("\n");
}

/**
 * Rejects wrong names and types before any request, by running the verbs on a frame without rows. Those after a `pipe` are not checked.
 *
 * @param declared the declared columns, without rows
 * @throws ValidationError for a verb that cannot run on them
 */
export function checkVerbs({ pageVerbs, allRowsVerbs }: ScanPlan, declared: PolarsFrame): void {
  let rows = declared;
  for (const verb of [...pageVerbs, ...allRowsVerbs]) {
    if (verb.isOpaque) return;
    try {
      rows = verb.apply(rows.lazy()).collectSync();
    } catch (cause) {
      const missing = missingColumn(cause);
      if (missing === undefined) throw cannotRun(cause);
      throw unknownColumn(missing, rows.columns, verb.step.verb).advise(
        "For a column that the service does not declare, use pipe((lazy) => …).",
      );
    }
  }
}

export function runPolars<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw polarsError(cause);
  }
}

/** The error of a verb that failed. File errors stay as they are. */
export function polarsError(cause: unknown): unknown {
  const isFileError = /os error/.test((cause as Error).message) || Object.hasOwn(cause as Error, "errno");
  return cause instanceof ArchiveError || isFileError ? cause : cannotRun(cause);
}

const CHECK = "Check the plan with explain(), and the columns with head(5).collect().";
/** Part of a message of polars, the hint for it, and a clearer message. */
const HINTS = [
  ["Datetime", 'Compare times with where: filter(where({ begintime: { from: "2024-01-01" } })).'],
  ["JsLazyFrame", 'Join lazy frames: lazy.join(frame.lazy(), { on: "personid" }).', "a frame is not lazy"],
] as const;

function cannotRun(cause: unknown): ValidationError {
  const reason = (cause as Error).message.split("\n")[0] ?? "";
  const [, hint = CHECK, message = reason] = HINTS.find(([part]) => reason.includes(part)) ?? [];
  return new ValidationError(`the scan cannot run: ${escaped(message, 300)}.`, { hint, cause });
}

/** Parameters added to a request. The verbs run anyway, so pushdown only saves requests. */
type PushedParameters = Readonly<Record<string, string | number>>;
type Parameters = Readonly<Record<string, unknown>>;

/** The conditions of `where({…})` in the leading filters, as parameters of the service. */
function pushdown(operation: OperationName, parameters: Parameters, verbs: readonly Verb[]): PushedParameters {
  const end = verbs.findIndex(({ kind, conditions }) => kind !== "rowWise" || conditions === undefined);
  const filters = verbs.slice(0, end < 0 ? undefined : end);
  const conditions = filters.flatMap((filter) => Object.entries(filter.conditions ?? {}));
  return operation === "mentions" ? conditionParameters(conditions, parameters) : {};
}

function conditionParameters(conditions: ReadonlyArray<[string, unknown]>, parameters: Parameters): PushedParameters {
  const result: Record<string, string | number> = {};
  // A page number and a cursor belong to the search without conditions.
  if (parameters.page !== undefined || parameters.cursor !== undefined) return result;
  const person = conditions.find(([column, value]) => column === "personid" && Number.isSafeInteger(value));
  if (person !== undefined && parameters.personid === undefined && (person[1] as number) > 0)
    result.personid = person[1] as number;
  if (parameters.date !== undefined) return result;
  const times = conditions.flatMap(([column, condition]) => (column === "begintime" ? [limits(condition)] : []));
  // The service compares days in an undocumented time zone: a day more on either side loses no rows.
  const first = times.flatMap(({ from }) => (from === undefined ? [] : [day(from.getTime() - DAY)]));
  const last = times.flatMap(({ until }) => (until === undefined ? [] : [day(until.getTime() - 1 + DAY)]));
  const sorted = (days: readonly unknown[]) => days.filter((date) => typeof date === "string").sort();
  const mindate = sorted([...first, parameters.mindate]).at(-1);
  const maxdate = sorted([...last, parameters.maxdate]).at(0);
  // The service refuses an empty range; the scan returns no rows for it anyway.
  if (mindate !== undefined && maxdate !== undefined && mindate > maxdate) return result;
  if (mindate !== undefined && mindate !== parameters.mindate) result.mindate = mindate;
  if (maxdate !== undefined && maxdate !== parameters.maxdate) result.maxdate = maxdate;
  return result;
}

/** The first time that a condition allows, and the first after it. */
function limits(condition: unknown): { readonly from?: Date | undefined; readonly until?: Date | undefined } {
  const range = rangeOf(condition);
  if (range !== undefined) return { from: range[0], until: range[1] };
  if (!isObject(condition)) return {};
  return { from: rangeOf(condition.from)?.[0], until: rangeOf(condition.until)?.[1] };
}

/** The UTC day of a time; undefined if the service cannot express it. */
function day(time: number): string | undefined {
  const date = new Date(time);
  const text = Number.isNaN(date.getTime()) ? "" : date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}
