import { statSync } from "node:fs";
import { ValidationError } from "../../errors/index.js";
import { invalid, show } from "../../errors/validators.js";
import { engineOf } from "../../frames/engine.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { toRecords } from "../../frames/toRecords.js";
import { userPath } from "../../fs/userPath.js";
import { readTable } from "../../tables/readTable.js";

/** Hints of {@link tableRows}. */
interface TableHints {
  /** What to give, after "Give ". */
  readonly give: string;
  /** What to add to a file without rows. */
  readonly add: string;
}

/**
 * The rows of a list, a frame, or a CSV file with a header. The cells of a file are text: an id or a label stays as it is spelled. An
 * empty cell is null.
 *
 * @param name the parameter, for errors
 */
export async function tableRows(name: string, given: unknown, hints: TableHints): Promise<readonly unknown[]> {
  const { give, add } = hints;
  if (Array.isArray(given)) return given;
  if (engineOf(given) !== undefined) return toRecords(given as PolarsFrame);
  if (typeof given !== "string") throw invalid(name, given, `Give ${give}`);
  const path = userPath(name, given, "searches.csv");
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw invalid(name, given, `There is no such file. Give ${give}`);
  const { frame } = await readTable(path, { asText: true }).catch((error: Error) => {
    throw invalid(name, given, `${error.message} Give ${give}`);
  });
  if (frame.height === 0) throw invalid(name, given, `The file has no rows. ${add}`);
  return toRecords(frame);
}

/** Does something with a row. Its errors say which one is meant: "search 2 of the list". */
export function aboutRow<T>(what: "bill" | "search", at: number, row: unknown, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof ValidationError) throw error.advise(`This is ${what} ${at + 1} of the list: ${show(row)}.`);
    throw error;
  }
}
