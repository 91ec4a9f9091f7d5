import { dateWindows } from "../../call/dateWindows.js";
import { faulty, invalid, show } from "../../errors/validators.js";
import { type ArchiveRequest, buildRequest } from "../../service/operations/request.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { sha256Of } from "../../util/sha256Of.js";
import type { Definition } from "./definition.js";
import type { Search } from "./searches.js";

/** One search in one span of days: what is fetched, landed and refreshed as a whole. */
export interface Window {
  /** Id of the search. */
  readonly search: string;
  /** Its days: a period ("2024-03", "2024-W10"), or "all". */
  readonly span: string;
  /** First and last day, yyyy-mm-dd; undefined if the search is not limited. */
  readonly mindate: string | undefined;
  readonly maxdate: string | undefined;
  readonly request: ArchiveRequest;
  /** Sixteen hexadecimal digits of the SHA-256 of the request: windows of several searches with the same request are fetched once. */
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
  for (const [at, search] of definition.searches.entries())
    for (const window of windowsOfSearch(definition, search, at + 1))
      if (windows.push(window) > MAX_WINDOWS)
        throw invalid(
          "window",
          definition.window,
          "These are more than 200,000 windows. Give a longer one, or fewer searches.",
        );
  return windows.sort((a, b) => byCodeUnit(a.mindate ?? "", b.mindate ?? ""));
}

function* windowsOfSearch({ window, until }: Definition, search: Search, number: number): Generator<Window> {
  const { date, mindate, maxdate } = search.parameters;
  if (window === undefined || date !== undefined)
    return yield windowOf(search, "all", search.parameters, mindate ?? date, maxdate ?? date);
  if (mindate === undefined)
    throw faulty(
      "window",
      `${show(window)}. Search ${number} has no first day: ${show(search.parameters)}`,
      'Give it a mindate or a congress, for example mindate: "2021-01-01", or leave window out.',
    );
  // Future days have no window yet.
  const last = maxdate !== undefined && maxdate < until ? maxdate : until;
  for (const { name, ...days } of dateWindows(mindate, last < mindate ? mindate : last, window))
    yield windowOf(search, name, { ...search.parameters, ...days }, days.mindate, days.maxdate);
}

function windowOf(
  { id: search }: Search,
  span: string,
  parameters: Readonly<Record<string, string>>,
  mindate: string | undefined,
  maxdate: string | undefined,
): Window {
  const request = buildRequest("mentions", { ...parameters, unchecked: true });
  const key = sha256Of(JSON.stringify([...request.query].sort())).slice(0, 16);
  return { search, span, mindate, maxdate, request, key };
}
