import leven from "leven";
import { ValidationError } from "../../errors/index.js";
import { invalid, show } from "../../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../../frames/engine.js";
import { toRecords } from "../../frames/toRecords.js";
import { statOf } from "../../fs/statOf.js";
import { userPath } from "../../fs/userPath.js";
import { readTable } from "../../tables/readTable.js";

/**
 * The rows of a list, a frame, or a CSV file with a header. The cells of a file are text: an id or a label stays as it is spelled. An
 * empty cell is null.
 *
 * @param name the parameter, for errors
 * @param give what to give, after "Give "
 * @param add what to add to a file without rows
 */
export async function tableRows(name: string, given: unknown, give: string, add: string): Promise<readonly unknown[]> {
  if (Array.isArray(given)) return given;
  refuseDanfo(given, name);
  if (isPolarsFrame(given)) return toRecords(given);
  if (typeof given !== "string") throw invalid(name, given, `Give ${give}`);
  const path = userPath(name, given, "searches.csv");
  if (statOf(path)?.isFile() !== true) throw invalid(name, given, `There is no such file. Give ${give}`);
  const { frame } = await readTable(path, { asText: true }).catch((error: Error) => {
    throw invalid(name, given, `${error.message} Give ${give}`);
  });
  if (frame.height === 0) throw invalid(name, given, `The file has no rows. ${add}`);
  return toRecords(frame);
}

/** Does something with a row. Its errors say which search is meant: "search 2 of the list". */
export function aboutSearch<T>(at: number, row: unknown, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof ValidationError) throw error.advise(`This is search ${at + 1} of the list: ${show(row)}.`);
    throw error;
  }
}

/**
 * The labels of a row: every column with a value that is not one of its own, as text.
 *
 * @param own names of columns that are no labels
 * @param check throws for a name that cannot be a label
 * @throws ValidationError for a name of `own` with a spelling mistake, which would otherwise be ignored; or for a value that is neither a
 *   text, a number, a boolean nor a date
 */
export function labelsOf(
  row: Readonly<Record<string, unknown>>,
  own: readonly string[],
  check: (name: string) => void,
): Record<string, string> {
  const labels = Object.entries(row).filter(
    ([name, value]) => !own.includes(name) && value !== undefined && value !== null,
  );
  for (const [name] of labels) {
    check(name);
    const near = misspelled(name, own);
    if (near !== undefined)
      throw invalid("label", name, `Did you mean ${near}? To keep a label, give it a name that is not so similar.`);
  }
  return Object.fromEntries(labels.map(([name, value]) => [name, labelText(name, value)]));
}

function labelText(name: string, value: unknown): string {
  if (["string", "number", "boolean", "bigint"].includes(typeof value)) return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw invalid(name, value, "A label is a text, a number or a date.");
}

/**
 * The known name that was probably meant: case, hyphens and underscores aside, it differs in one letter at most, or in two that are swapped.
 *
 * @example
 * misspelled("titel", ["title", "number"]); //=> "title"
 * misspelled("topic", ["title", "type"]);   //=> undefined
 */
export function misspelled(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_\s]/g, "");
  // A column may have a name of a megabyte.
  const given = plain(name.slice(0, 80));
  const isSwapped = (other: string) => {
    const at = [...given].findIndex((letter, place) => letter !== other[place]);
    const swapped = given.slice(0, at) + given[at + 1] + given[at] + given.slice(at + 2);
    return given.length === other.length && swapped === other;
  };
  return known.find((one) => leven(given, plain(one)) <= 1 || isSwapped(plain(one)));
}
