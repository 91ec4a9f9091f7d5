import { ValidationError } from "../../errors/index.js";
import { invalid, show } from "../../errors/validators.js";
import { engineOf } from "../../frames/engine.js";
import { toRecords } from "../../frames/toRecords.js";
import type { DanfoFrame, PolarsFrame } from "../../util/frameTypes.js";
import { quoted } from "../../util/quoted.js";
import { checkSearch } from "./checkSearch.js";
import { csvRows } from "./csvRows.js";
import { billColumn } from "./readBills.js";
import type { CorpusSearch, Search } from "./search.js";

/** Searches of a corpus: a list, a frame with a column per parameter, or the path of a CSV file. */
export type CorpusSearches = readonly CorpusSearch[] | PolarsFrame | DanfoFrame | string;

const EXAMPLE = `for example searches: [{ query: '"inflation"', mindate: "2021-01-01" }]`;

/**
 * Checks the searches of a corpus.
 *
 * @throws ValidationError for a list that is empty, or has two equal searches
 */
export function readSearches(given: unknown): Search[] {
  const rows = rowsOf(given);
  checkNoBills(given, rows[0]);
  const searches = rows.map((row, at) => checkSearch(row, at + 1));
  if (searches.length === 0) throw invalid("searches", given, `Give at least one, ${EXAMPLE}.`);
  const known = new Map<string, number>();
  for (const [at, { id, parameters }] of searches.entries()) {
    const first = known.get(id);
    if (first !== undefined) {
      throw new ValidationError(`invalid searches: ${first + 1} and ${at + 1} are equal: ${show(parameters)}.`, {
        hint: "Remove one of them. Labels do not make a difference.",
        parameter: "searches",
      });
    }
    known.set(id, at);
  }
  return searches;
}

function checkNoBills(given: unknown, first: unknown): void {
  const column = billColumn(first);
  if (column === undefined) return;
  const path = typeof given === "string" ? quoted(given, 1000) : "bills";
  const problem = `It looks like a list of bills: it has the column ${column}, and no column query.`;
  const hint = `${problem} Give searches: searchesOfBills(${path}), or --bills on the command line.`;
  throw invalid("searches", given, hint);
}

function rowsOf(given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given;
  if (engineOf(given) !== undefined) return toRecords(given);
  if (typeof given !== "string")
    throw invalid("searches", given, `Give a list, a frame or the path of a CSV file, ${EXAMPLE}.`);
  return csvRows(
    "searches",
    given,
    `Give the path of a CSV file with a column per parameter, or a list, ${EXAMPLE}.`,
    "Add a line for each search; below the header query,mindate for example: climate,2021-01-01.",
  );
}
