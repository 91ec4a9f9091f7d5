import { faulty, show } from "../../errors/validators.js";
import { type ArchiveRequest, buildRequest } from "../../service/operations/request.js";
import { sha256Of } from "../../util/hash.js";
import { byCodeUnit } from "../../util/lists.js";
import { dateWindows } from "../../util/period.js";
import type { Definition } from "./definition.js";
import type { Search } from "./searches.js";

/** One search in one span of days, which is fetched, committed and refreshed as a whole. */
export interface Window {
  /** Id of the search. */
  readonly search: string;
  /** Its days: a period ("2024-03", a week by its Monday), or "all". */
  readonly span: string;
  /** First and last day, yyyy-mm-dd; undefined if the search is not limited. */
  readonly mindate: string | undefined;
  readonly maxdate: string | undefined;
  readonly request: ArchiveRequest;
  /** Sixteen hexadecimal digits of the SHA-256 of the request. Windows with the same one are fetched once. */
  readonly key: string;
}

const MAX_WINDOWS = 200_000;

/**
 * The windows of a corpus by first day, in the order in which they are fetched.
 *
 * @throws ValidationError for a search without a first day that has to be split, or for too many windows
 */
export function windowsOf(definition: Definition): Window[] {
  const windows: Window[] = [];
  for (const [at, search] of definition.searches.entries()) {
    const spans = spansOf(definition, search, at + 1);
    if (windows.length + spans.length > MAX_WINDOWS)
      throw faulty("window", "these are more than 200,000 windows", "Give a longer window, or fewer searches.");
    for (const { name, ...days } of spans) windows.push(windowOf(search, name, days));
  }
  return windows.sort((a, b) => byCodeUnit(a.mindate ?? "", b.mindate ?? ""));
}

/** The days of the windows of a search. */
function spansOf(
  { window, until }: Definition,
  { parameters }: Search,
  number: number,
): Array<Pick<Window, "mindate" | "maxdate"> & { readonly name: string }> {
  const { date, mindate = date, maxdate = date } = parameters;
  if (window === undefined || date !== undefined) return [{ name: "all", mindate, maxdate }];
  const hint = 'Give it a mindate or a congress, for example mindate: "2021-01-01", or leave window out.';
  if (mindate === undefined)
    throw faulty("window", `${show(window)}. Search ${number} has no first day: ${show(parameters)}`, hint);
  // Future days have no window yet.
  const last = maxdate !== undefined && maxdate < until ? maxdate : until;
  return dateWindows(mindate, last < mindate ? mindate : last, window);
}

function windowOf({ id: search, parameters }: Search, span: string, days: Pick<Window, "mindate" | "maxdate">): Window {
  const withDays = parameters.date === undefined ? { ...parameters, ...days } : parameters;
  const request = buildRequest("mentions", { ...withDays, unchecked: true });
  const key = sha256Of(JSON.stringify([...request.query].sort())).slice(0, 16);
  return { search, span, ...days, request, key };
}
