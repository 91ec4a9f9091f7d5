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
import { escaped } from "../util/text.js";
import type { Verb } from "./verbs.js";

/** What a scan asks for. */
export interface ScanQuery<N extends OperationName = OperationName> {
  readonly operation: N;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly verbs: readonly Verb[];
}

/** How a scan will run. */
export interface ScanPlan {
  /** The first request, including the parameters that were pushed down. */
  readonly request: ArchiveRequest;
  readonly pushed: Readonly<Record<string, string | number>>;
  /** The verbs that run page by page, in order. */
  readonly streamed: readonly Verb[];
  /** The first verb that needs all rows, and every verb after it. */
  readonly gathered: readonly Verb[];
  /** The number of rows to request, if a `head` comes before any filter. */
  readonly rowsNeeded: number | undefined;
  /** Only the rows themselves tell when there are enough, so no page is requested ahead. */
  readonly mayEndEarly: boolean;
}

export function planScan({ operation, parameters: given, verbs }: ScanQuery): ScanPlan {
  const parameters = given.congress == null ? given : withCongressDates(given);
  const pushed = pushdown(operation, parameters, verbs);
  const firstGather = verbs.findIndex(({ kind }) => kind === "gather");
  const gather = firstGather < 0 ? verbs.length : firstGather;
  const streamed = verbs.slice(0, gather);
  const firstFilter = streamed.findIndex(({ conditions }) => conditions !== undefined);
  const before = streamed.slice(0, firstFilter < 0 ? gather : firstFilter).flatMap(({ rows }) => rows ?? []);
  return {
    request: buildRequest(operation, { ...parameters, ...pushed }),
    pushed,
    streamed,
    gathered: verbs.slice(gather),
    rowsNeeded: before.length === 0 ? undefined : Math.min(...before),
    mayEndEarly: streamed.filter(({ kind }) => kind === "head").length > before.length,
  };
}

export function explainPlan(plan: ScanPlan, pageSize: PageSize): string {
  const { request, pushed, streamed, gathered, rowsNeeded } = plan;
  const parameters: Record<string, unknown> = Object.fromEntries(request.query);
  if (takes(request.operation, "limit")) parameters.limit ??= Math.min(pageSize.full, rowsNeeded || pageSize.full);
  const { limit } = parameters;
  const list = (entries: object) =>
    Object.entries(entries)
      .map((entry) => entry.join("="))
      .join("  ");
  const all = `one per ${limit === undefined ? "page" : `page of ${limit} rows`}, and one to confirm the end`;
  const some = rowsNeeded !== undefined && limit !== undefined ? String(Math.ceil(rowsNeeded / Number(limit))) : all;
  const lines = [
    `SCAN ${request.operation}`,
    `  request    GET ${request.path}  ${list(parameters)}`,
    `  pushed     ${list(pushed) || "nothing"}`,
    ...streamed.map(({ step }) => `  by page    ${step.text}`),
    ...gathered.map(({ step }, at) => `  ${at === 0 ? "all rows  " : "then      "} ${step.text}`),
    `  requests   ${rowsNeeded === 0 ? "none" : `at most ${some}`}`,
  ];
  // A query or a column name may contain anything.
  return lines.map((text) => escaped(text, 2000)).join("\n");
}

/**
 * Runs the verbs of a scan on a frame without rows, to find wrong names and types before any request.
 *
 * @param declared the declared columns, without rows
 * @throws ValidationError for a verb that cannot run on them. What follows a function of the user is not checked
 */
export function checkVerbs({ streamed, gathered }: ScanPlan, declared: PolarsFrame): void {
  let rows = declared;
  for (const verb of [...streamed, ...gathered]) {
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

/** The error of a verb that fails; that of a file stays. */
export function polarsError(cause: unknown): unknown {
  const isOfFile = /os error/.test((cause as Error).message) || Object.hasOwn(cause as Error, "errno");
  return cause instanceof ArchiveError || isOfFile ? cause : cannotRun(cause);
}

const CHECK = "Check the plan with explain(), and the columns with head(5).collect().";
/** What to do about messages of polars. */
const HINTS = [
  ["Datetime", 'Compare times with where: filter(where({ begintime: { from: "2024-01-01" } })).'],
  ["JsLazyFrame", 'Join lazy frames: lazy.join(frame.lazy(), { on: "personid" }).', "a frame is not lazy"],
] as const;

function cannotRun(cause: unknown): ValidationError {
  const reason = (cause as Error).message.split("\n")[0] ?? "";
  const [, hint = CHECK, what = reason] = HINTS.find(([part]) => reason.includes(part)) ?? [];
  return new ValidationError(`the scan cannot run: ${escaped(what, 300)}.`, { hint, cause });
}

/** Parameters added to a request. The verbs still run on this machine, so this can only save requests. */
type Pushed = Readonly<Record<string, string | number>>;
type Given = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;

/** Finds the conditions of `where({…})` that the service can apply, in the filters that come first. */
export function pushdown(operation: OperationName, given: Given, verbs: readonly Verb[]): Pushed {
  const end = verbs.findIndex(({ kind, conditions }) => kind !== "rowWise" || conditions === undefined);
  const filters = verbs.slice(0, end < 0 ? undefined : end);
  const conditions = filters.flatMap((filter) => Object.entries(filter.conditions ?? {}));
  return operation === "mentions" ? parametersOf(conditions, given) : {};
}

function parametersOf(conditions: ReadonlyArray<[string, unknown]>, given: Given): Pushed {
  const parameters: Record<string, string | number> = {};
  const person = conditions.find(([column, value]) => column === "personid" && Number.isSafeInteger(value));
  if (person !== undefined && given.personid === undefined && (person[1] as number) > 0)
    parameters.personid = person[1] as number;
  if (given.date !== undefined) return parameters;
  const times = conditions.flatMap(([column, condition]) => (column === "begintime" ? [limits(condition)] : []));
  // The service compares days of a zone that it does not say: a day more on either side loses nothing.
  const first = times.flatMap(({ from }) => (from === undefined ? [] : [day(from.getTime() - DAY)]));
  const last = times.flatMap(({ until }) => (until === undefined ? [] : [day(until.getTime() - 1 + DAY)]));
  const sorted = (days: readonly unknown[]) => days.filter((date) => typeof date === "string").sort();
  const mindate = sorted([...first, given.mindate]).at(-1);
  const maxdate = sorted([...last, given.maxdate]).at(0);
  // The service refuses an empty range; the scan returns no rows for it anyway.
  if (mindate !== undefined && maxdate !== undefined && mindate > maxdate) return parameters;
  if (mindate !== undefined && mindate !== given.mindate) parameters.mindate = mindate;
  if (maxdate !== undefined && maxdate !== given.maxdate) parameters.maxdate = maxdate;
  return parameters;
}

/** The first moment that a condition allows, and the first after it. */
function limits(condition: unknown): { readonly from?: Date | undefined; readonly until?: Date | undefined } {
  const range = rangeOf(condition);
  if (range !== undefined) return { from: range[0], until: range[1] };
  if (!isObject(condition)) return {};
  return { from: rangeOf(condition.from)?.[0], until: rangeOf(condition.until)?.[1] };
}

/** The UTC day of a moment; undefined if the service cannot express it. */
function day(time: number): string | undefined {
  const date = new Date(time);
  const text = Number.isNaN(date.getTime()) ? "" : date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}
