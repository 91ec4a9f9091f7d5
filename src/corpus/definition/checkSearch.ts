import { ValidationError } from "../../errors/index.js";
import { checkCongress, invalid, show } from "../../errors/validators.js";
import { operations } from "../../service/operations/operations.js";
import { buildRequest } from "../../service/operations/request.js";
import { isPlainObject } from "../../util/isObject.js";
import { labelText } from "./labelText.js";
import { misspelled } from "./misspelled.js";
import { type Search, searchId } from "./search.js";

const PARAMETERS = ["query", "personid", "videotype", "date", "mindate", "maxdate", "congress"] as const;
const DATES: readonly string[] = ["date", "mindate", "maxdate"];
/** Columns of the table of searches, which labels would overwrite. */
export const RESERVED: readonly string[] = [
  "search",
  "window",
  "parameters",
  "rows",
  "verdict",
  "reason",
  "requests",
  "retrieved",
];
const KNOWN: readonly string[] = [...Object.keys(operations.mentions.parameters), ...RESERVED];

/**
 * Checks one search.
 *
 * @param number its number in the list, for errors
 * @throws ValidationError that says which search is meant
 */
export function checkSearch(given: unknown, number: number): Search {
  if (!isPlainObject(given))
    throw invalid("searches", given, 'Each search is an object, for example { query: "climate" }.');
  const row = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  try {
    const labels = Object.entries(row).filter(([name]) => !isParameter(name));
    for (const [name] of labels) checkLabel(name);
    const parameters = Object.fromEntries(buildRequest("mentions", parametersOf(row)).query);
    const texts = labels.map(([name, value]): [string, string] => [name, labelText(name, value)]);
    if (row.congress !== undefined) texts.push(["congress", String(checkCongress(row.congress))]);
    return { id: searchId(parameters), parameters, labels: Object.fromEntries(texts) };
  } catch (error) {
    if (error instanceof ValidationError) throw error.advise(`This is search ${number} of the list: ${show(row)}.`);
    throw error;
  }
}

function isParameter(name: string): boolean {
  return (PARAMETERS as readonly string[]).includes(name);
}

/** Refuses a label that is a parameter with a spelling mistake, which would otherwise search for everything. */
function checkLabel(name: string): void {
  if (["cursor", "page", "limit"].includes(name))
    throw invalid(name, name, "A corpus fetches all pages. Leave it out, or set pageSize of the client.");
  const near = misspelled(name, KNOWN);
  if (near === undefined) return;
  if (RESERVED.includes(near))
    throw invalid("label", name, "The table of searches has this column. Give it another name.");
  throw invalid("label", name, `Did you mean ${near}? To keep a label, give it a name that is not so similar.`);
}

function parametersOf(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parameters = Object.fromEntries(PARAMETERS.map((name) => [name, row[name]]));
  for (const name of DATES) {
    const value = parameters[name];
    // Frames have dates.
    if (value instanceof Date && !Number.isNaN(value.getTime())) parameters[name] = value.toISOString().slice(0, 10);
  }
  const ranges = [...DATES, "congress"].filter((name) => row[name] !== undefined);
  if (row.date !== undefined && ranges.length > 1)
    throw invalid("date", row.date, `Give either date or ${ranges.filter((name) => name !== "date").join(" and ")}.`);
  return parameters;
}
