import { ValidationError } from "../../errors/index.js";
import { checkCongress, faulty, invalid, nearest, show } from "../../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../../frames/engine.js";
import { toRecords } from "../../frames/toRecords.js";
import { userPath } from "../../fs/paths.js";
import { operations, type ParametersOf } from "../../service/operations/operations.js";
import { buildRequest } from "../../service/operations/request.js";
import { readTable } from "../../tables/readTable.js";
import type { PolarsFrame } from "../../util/frameTypes.js";
import { sha256Of } from "../../util/hash.js";
import { isPlainObject } from "../../util/objects.js";
import { columnsOf } from "../database/tables.js";

/** A search of a corpus: the parameters of `mentions`, without those of pages, and any columns of your own, which are kept as labels. */
export interface CorpusSearch extends Omit<ParametersOf<"mentions">, "limit" | "page" | "cursor"> {
  /** A label of your own. */
  readonly [label: string]: unknown;
}

export interface Search {
  readonly id: string;
  /** Its row in `corpus.json`: what the user gave, as text. */
  readonly row: Readonly<Record<string, string>>;
  /** The parameters as they are sent, without a limit. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

const MAX_SEARCHES = 100_000;

/** The values of each parameter or label of {@link cross}: a list, or one value for all searches. */
export type CrossValues = Readonly<Record<string, unknown>> & {
  /** Words or phrases to search for. */
  readonly query: string | readonly string[];
};

/**
 * Every combination of the values of some parameters, as a list of searches.
 *
 * @throws ValidationError for an empty list of values, or more than 100,000 combinations
 * @example
 * cross({ query: ["inflation", "prices"], congress: [117, 118] });
 * //=> [{ query: "inflation", congress: 117 }, { query: "inflation", congress: 118 },
 * //    { query: "prices", congress: 117 }, { query: "prices", congress: 118 }]
 * const people = await archive.people({ last: "Pelosi" });
 * cross({ query: "budget", personid: valuesOf(people, "id") }); // what these people have said
 */
export function cross(values: CrossValues): CorpusSearch[] {
  if (!isPlainObject(values))
    throw invalid("values", values, 'Give lists, for example { query: ["inflation", "prices"] }.');
  let searches: Array<Record<string, unknown>> = [{}];
  for (const [name, value] of Object.entries(values)) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (list.length === 0) throw invalid(name, value, `Give at least one value, or leave ${name} out.`);
    if (searches.length * list.length > MAX_SEARCHES)
      throw invalid(name, value, "These are more than 100,000 searches. Give fewer values.");
    searches = searches.flatMap((search) => list.map((each) => ({ ...search, [name]: each })));
  }
  return searches as unknown as CorpusSearch[];
}

/** Searches of a corpus: a list, a frame with a column per parameter, or the path of a CSV file. */
export type CorpusSearches = readonly CorpusSearch[] | PolarsFrame | string;

const PARAMETERS = Object.keys(operations.mentions.parameters);
const DATES = ["date", "mindate", "maxdate"];
const MAX_LABELS = 100;

/** What to do with the options of other calls, which would be ignored or become labels. */
const OPTION_HINTS = [
  [["cursor", "page", "limit"], "A corpus fetches all pages. Leave it out, or set pageSize of the client."],
  [["window", "lookups"], "Give it to openCorpus, not to a search."],
  [["maxRequests", "signal"], "Give it to build, not to a search."],
  [["maxItems", "unchecked", "engine", "format"], "A corpus fetches all rows of a search as frames. Leave it out."],
] as const;

/** The names of all labels. */
export function labelNames({ searches }: { readonly searches: readonly Search[] }): string[] {
  return [...new Set(searches.flatMap(({ labels }) => Object.keys(labels)))];
}

/**
 * Checks the searches of a corpus: rows of parameters and labels.
 *
 * @throws ValidationError for a search that is not valid, two equal ones, more than 100 labels, or some that differ only in case
 */
export function checkSearches(rows: readonly unknown[]): Search[] {
  const searches = rows.map(checkSearch);
  const places = new Map<string, number>();
  for (const [at, { id, parameters }] of searches.entries()) {
    const first = places.get(id);
    const hint = "Remove one of them. Labels do not make a difference.";
    if (first !== undefined)
      throw faulty("searches", `${first + 1} and ${at + 1} are equal: ${show(parameters)}`, hint);
    places.set(id, at);
  }
  const labels = labelNames({ searches });
  if (labels.length > MAX_LABELS || new Set(labels.map((name) => name.toLowerCase())).size < labels.length)
    throw invalid("labels", labels, "Give at most 100 labels, whose names differ not only in case.");
  return searches;
}

function checkSearch(search: unknown, at: number): Search {
  if (!isPlainObject(search))
    throw invalid("searches", search, 'Each search is an object, for example { query: "climate" }.');
  const row = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== null));
  try {
    for (const [names, hint] of OPTION_HINTS)
      for (const name of names) if (row[name] !== undefined) throw invalid(name, row[name], hint);
    const labels = labelsOf(row, PARAMETERS);
    const values = parametersOf(row);
    const parameters = Object.fromEntries(buildRequest("mentions", values).query);
    const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
    if (row.congress !== undefined) labels.congress = String(checkCongress(row.congress));
    return { id: searchId(parameters), row: { ...labels, ...texts }, parameters, labels };
  } catch (error) {
    if (error instanceof ValidationError) throw error.advise(`This is search ${at + 1} of the list: ${show(row)}.`);
    throw error;
  }
}

/** The id of a search: twelve hexadecimal digits of the SHA-256 of its parameters. Labels do not count. */
function searchId(parameters: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(Object.entries(parameters).sort());
  return sha256Of(text).slice(0, 12);
}

/** The parameters of a search. Frames have dates. */
function parametersOf(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = PARAMETERS.filter((name) => row[name] !== undefined);
  const cellOf = (name: string) => {
    const value = row[name];
    const isDate = DATES.includes(name) && value instanceof Date && !Number.isNaN(value.getTime());
    return isDate ? value.toISOString().slice(0, 10) : value;
  };
  return Object.fromEntries(names.map((name) => [name, cellOf(name)]));
}

const HINT = `Give the path of a CSV file with a column per parameter, a frame or a list, for example searches: [{ query: '"inflation"', mindate: "2021-01-01" }].`;

/**
 * The rows of a list, a frame, or a CSV file with a header. The cells of a file are text, so that ids and labels stay unchanged. An empty
 * cell is null.
 */
export async function searchRows(searches: unknown): Promise<readonly unknown[]> {
  let rows = searches;
  refuseDanfo(searches, "searches");
  if (isPolarsFrame(searches)) rows = toRecords(searches);
  else if (typeof searches === "string") {
    const path = userPath("searches", searches, "searches.csv");
    const { frame } = await readTable(path, { asText: true }).catch((error: Error) => {
      throw invalid("searches", searches, `${error.message} ${HINT}`);
    });
    rows = toRecords(frame);
  }
  if (!Array.isArray(rows) || rows.length === 0) throw invalid("searches", searches, HINT);
  return rows;
}

/**
 * The labels of a row, as text: every column that is not a parameter.
 *
 * @throws ValidationError for a misspelled parameter, which would otherwise be ignored; or for a value that is neither a text, a number, a
 * boolean nor a date
 */
function labelsOf(row: Readonly<Record<string, unknown>>, parameters: readonly string[]): Record<string, string> {
  const reserved = columnsOf("searches").map(([name]) => name);
  const labels = Object.entries(row).filter(([name]) => !parameters.includes(name));
  for (const [name] of labels) {
    const suggestion = nearest(name, parameters);
    const hint = `Did you mean ${suggestion}? To keep a label, give it a name that is not so similar.`;
    if (suggestion !== undefined) throw invalid("label", name, hint);
    if (reserved.includes(name.toLowerCase()))
      throw invalid("label", name, "The table of searches has this column. Give it another name.");
  }
  return Object.fromEntries(labels.map(([name, value]) => [name, labelText(name, value)]));
}

function labelText(name: string, value: unknown): string {
  if (["string", "number", "boolean", "bigint"].includes(typeof value)) return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw invalid(name, value, "A label is a text, a number or a date.");
}
