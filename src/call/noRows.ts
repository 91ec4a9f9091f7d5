import { warnOnce } from "../errors/warn.js";
import { operations } from "../service/operations/operations.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { quoted } from "../util/quoted.js";

/** Operators that only program searches support. */
const OPERATORS = /\b(?:AND|OR|NOT)\b|\*|\b(\w+):\S/;
const FIRST_DAY = "1979-03-19";

/** Warns once why a search or lookup has no rows, if its parameters explain it. */
export function warnOfNoRows({ operation, path, query: parts }: ArchiveRequest): void {
  const { cursor, page, query, ...parameters } = Object.fromEntries(parts);
  if (cursor !== undefined || page !== undefined) return;
  const subject = query === undefined ? "" : ` for ${quoted(query)}`;
  const warn = (code: string, why: string) =>
    warnOnce(code, `No ${operations[operation].noun} was found${subject}: ${why}`);
  const [operator] = OPERATORS.exec(query ?? "") ?? [];
  const id = operation === "person" ? decodeURIComponent(path.split("/").at(-1) ?? "") : parameters.personid;
  const { date, mindate = date, maxdate = date } = parameters;
  if (operator !== undefined && operation !== "programsSearch") {
    const what = operation === "people" ? "a name or a title" : "a word or a phrase";
    const instead = "Search for each phrase separately, or use archive.programsSearch.";
    warn("QUERY_OPERATORS", `${operation} take ${what}, not ${quoted(operator)}. ${instead}`);
  } else if (id !== undefined && /^\p{L}[\p{L}\s,.'-]*$/u.test(id)) {
    const instead = `Find the id with archive.people(${quoted(id)}).`;
    warn("PERSON_NAME", `${quoted(id)} is a name, not the id of a person. ${instead}`);
  } else if (mindate !== undefined && mindate > new Date().toISOString().slice(0, 10)) {
    warn("DATES", `${mindate} is in the future.`);
  } else if (maxdate !== undefined && maxdate < FIRST_DAY)
    warn("DATES", `${maxdate} is before ${FIRST_DAY}, the first day of C-SPAN.`);
}
