import { nearest, show } from "../errors/validators.js";
import { warnOnce } from "../errors/warn.js";
import { operations, VIDEO_TYPE_NAMES } from "../service/operations/operations.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { quoted } from "../util/quoted.js";

type Request = Pick<ArchiveRequest, "operation" | "path" | "query">;
/** Says what is wrong and what to type; undefined if nothing is wrong. */
type Explanation = (given: ReadonlyMap<string, string>, request: Request) => string | undefined;

/** Operators that only program searches support. */
const OPERATORS = /\b(?:AND|OR|NOT)\b|\*|\b(\w+):\S/;
const FIRST_DAY = "1979-03-19";

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  QUERY_OPERATORS: (given, { operation }) => {
    const text = given.get("query") ?? "";
    const [operator] = OPERATORS.exec(text) ?? [];
    if (operator === undefined || operation === "programsSearch") return undefined;
    const what = operation === "people" ? "a name or a title" : "a word or a phrase";
    const programs = operation === "mentions" ? `, or search programs: archive.programsSearch(${quoted(text)})` : "";
    return `${operation} take ${what}, not ${quoted(operator)}. Search for each phrase separately${programs}.`;
  },
  VIDEO_TYPE: (given) => {
    const type = given.get("videotype");
    if (type === undefined || VIDEO_TYPE_NAMES.includes(type)) return undefined;
    const near = nearest(type, VIDEO_TYPE_NAMES);
    const known =
      near === undefined ? `Known types are ${VIDEO_TYPE_NAMES.join(", ")}.` : `Did you mean ${show(near)}?`;
    return `${quoted(type)} is not a known video type. ${known}`;
  },
  PERSON_NAME: (given, { operation, path }) => {
    const id =
      operation === "person" ? decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) : given.get("personid");
    if (id === undefined || !/\p{L}/u.test(id) || !/[\s,]|^\p{L}+$/u.test(id)) return undefined;
    return `${quoted(id)} looks like a name, not the id of a person. Find the id with archive.people(${quoted(reordered(id))}).`;
  },
  PERSON_QUERY: (given, { operation }) => {
    if (operation !== "people") return undefined;
    const [query, first, last] = ["query", "first", "last"].map((name) => given.get(name)?.trim());
    if (query?.includes(","))
      return `Search for the name as it is spoken: archive.people(${quoted(reordered(query))}).`;
    if (first && last)
      return `Are first and last name swapped? Type archive.people({ first: ${quoted(last)}, last: ${quoted(first)} }).`;
    const whole = first ?? last ?? query ?? "";
    const words = whole.split(/\s+/);
    if (words.length < 2) return undefined;
    return `Part of a name finds more: archive.people({ last: ${quoted(words.at(-1) ?? "")} }).`;
  },
  DATES: (given) => {
    const today = new Date().toISOString().slice(0, 10);
    const [date, from, to] = ["date", "mindate", "maxdate"].map((name) => given.get(name));
    const [first, last] = [date ?? from, date ?? to];
    if (first !== undefined && first > today) return `${first} is in the future.`;
    if (last !== undefined && last < FIRST_DAY) return `${last} is before ${FIRST_DAY}, the first day of C-SPAN.`;
    const isOutside = date !== undefined && ((from !== undefined && date < from) || (to !== undefined && date > to));
    return isOutside ? `date ${date} is not between mindate and maxdate. Give one or the other.` : undefined;
  },
  // Omits the id, so that a loop over people warns once.
  PERSON_ID: (given) =>
    given.has("personid") ? "If that is unexpected, check who has this personid: archive.person(…)." : undefined,
};

/** "Pelosi, Nancy" as "Nancy Pelosi". */
function reordered(name: string): string {
  const [last = "", ...first] = name.split(",").map((part) => part.trim());
  return [...first, last].filter(Boolean).join(" ");
}

/** Warns once why a search or lookup found nothing, if its parameters explain it. */
export function warnOfNoRows(request: Request): void {
  const given = new Map(request.query);
  if (given.has("cursor") || given.has("page")) return;
  for (const [code, explain] of Object.entries(EXPLANATIONS)) {
    const why = explain(given, request);
    if (why === undefined) continue;
    const query = given.get("query");
    const what = `No ${operations[request.operation].noun} was found${query === undefined ? "" : ` for ${quoted(query)}`}`;
    warnOnce(code, `${what}: ${why}`);
    return;
  }
}
