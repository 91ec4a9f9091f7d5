import { statSync } from "node:fs";
import { invalid } from "../../errors/validators.js";
import { pl } from "../../frames/polars.js";
import { toRecords } from "../../frames/toRecords.js";

/**
 * The rows of a CSV file with a header, as text: an id or a label stays as it is spelled.
 *
 * @param name the parameter that is the path of the file, for errors
 * @param hint what it may be
 */
export function csvRows(name: string, path: string, hint: string): readonly Record<string, unknown>[] {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw invalid(name, path, `There is no such file. ${hint}`);
  try {
    return toRecords(pl.readCSV(path, { inferSchemaLength: 0 }));
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split("\n")[0] as string) : "";
    throw invalid(name, path, `The file is not a CSV file with a header (${problem.slice(0, 200)}).`);
  }
}
