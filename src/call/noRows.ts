import { warnOnce } from "../errors/warn.js";
import { operations } from "../service/operations/operations.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { quoted } from "../util/quoted.js";

/** Operators that only program searches support. */
const OPERATORS = /\b(?:AND|OR|NOT)\b|\*|\b(\w+):\S/;
const FIRST_DAY = "1979-03-19";

/** Warns once why a search or lookup has no rows, if its parameters explain it. */
export function warnOfNoRows({ operation, path, query }: Pick<ArchiveRequest, "operation" | "path" | "query">): void {
  const parameters = new Map(query);
  if (parameters.has("cursor") || parameters.has("page")) return;
  const text = parameters.get("query");
  const warn = (code: string, why: string) =>
    warnOnce(
      code,
      `No ${operations[operation].noun} was found${text === undefined ? "" : ` for ${quoted(text)}`}: ${why}`,
    );

  const [operator] = (operation !== "programsSearch" && OPERATORS.exec(text ?? "")) || [];
  if (operator !== undefined) {
    const what = operation === "people" ? "a name or a title" : "a word or a phrase";
    const programs =
      operation === "mentions" ? `, or search programs: archive.programsSearch(${quoted(text ?? "")})` : "";
    return warn(
      "QUERY_OPERATORS",
      `${operation} take ${what}, not ${quoted(operator)}. Search for each phrase separately${programs}.`,
    );
  }
  const person =
    operation === "person" ? decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) : parameters.get("personid");
  if (person !== undefined && /^\p{L}[\p{L}\s,.'-]*$/u.test(person)) {
    const [last = "", ...first] = person.split(",").map((part) => part.trim());
    const name = [...first, last].filter(Boolean).join(" ");
    return warn(
      "PERSON_NAME",
      `${quoted(person)} looks like a name, not the id of a person. Find the id with archive.people(${quoted(name)}).`,
    );
  }
  const [from, to] = ["mindate", "maxdate"].map((name) => parameters.get("date") ?? parameters.get(name));
  if (from !== undefined && from > new Date().toISOString().slice(0, 10)) warn("DATES", `${from} is in the future.`);
  if (to !== undefined && to < FIRST_DAY) warn("DATES", `${to} is before ${FIRST_DAY}, the first day of C-SPAN.`);
}
