import { warnOnce } from "../errors/warn.js";
import { operations } from "../service/operations/operations.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { quoted } from "../util/quoted.js";

type Request = Pick<ArchiveRequest, "operation" | "path" | "query">;

/** Operators that only program searches support. */
const OPERATORS = /\b(?:AND|OR|NOT)\b|\*|\b(\w+):\S/;
const FIRST_DAY = "1979-03-19";

/** Warns once why a search or lookup has no rows, if its parameters explain it. */
export function warnOfNoRows(request: Request): void {
  const parameters = new Map(request.query);
  if (parameters.has("cursor") || parameters.has("page")) return;
  const [code, why] = explanation(request, parameters) ?? [];
  if (code === undefined) return;
  const query = parameters.get("query");
  const subject = query === undefined ? "" : ` for ${quoted(query)}`;
  warnOnce(code, `No ${operations[request.operation].noun} was found${subject}: ${why}`);
}

function explanation({ operation, path }: Request, parameters: ReadonlyMap<string, string>) {
  const [operator] = OPERATORS.exec(parameters.get("query") ?? "") ?? [];
  if (operator !== undefined && operation !== "programsSearch") {
    const what = operation === "people" ? "a name or a title" : "a word or a phrase";
    const why = `${operation} take ${what}, not ${quoted(operator)}. Search for each phrase separately, or use archive.programsSearch.`;
    return ["QUERY_OPERATORS", why] as const;
  }
  const id = operation === "person" ? decodeURIComponent(path.split("/").at(-1) ?? "") : parameters.get("personid");
  if (id !== undefined && /^\p{L}[\p{L}\s,.'-]*$/u.test(id))
    return [
      "PERSON_NAME",
      `${quoted(id)} is a name, not the id of a person. Find the id with archive.people(${quoted(id)}).`,
    ] as const;
  const [from, to] = ["mindate", "maxdate"].map((name) => parameters.get("date") ?? parameters.get(name));
  const today = new Date().toISOString().slice(0, 10);
  if (from !== undefined && from > today) return ["DATES", `${from} is in the future.`] as const;
  if (to === undefined || to >= FIRST_DAY) return undefined;
  return ["DATES", `${to} is before ${FIRST_DAY}, the first day of C-SPAN.`] as const;
}
