import { statSync } from "node:fs";
import { invalid, show } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { toRecords } from "../../frames/toRecords.js";

/**
 * The rows of a CSV file with a header, as text: an id or a label stays as it is spelled. An empty cell is null.
 *
 * @param name the parameter that is the path of the file, for errors
 * @param hint what it may be
 * @param example what to add to a file without rows
 */
export function csvRows(name: string, path: string, hint: string, example: string): readonly Record<string, unknown>[] {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw invalid(name, path, `There is no such file. ${hint}`);
  const frame = parsed(name, path);
  const [first = "", ...others] = frame.columns;
  if (others.length === 0 && /[;\t]/.test(first))
    throw invalid(name, path, `It has the single column ${show(first)}. Separate columns by commas.`);
  if (frame.height === 0) throw invalid(name, path, `The file has no rows. ${example}`);
  return toRecords(frame);
}

function parsed(name: string, path: string): PolarsFrame {
  try {
    return pl.readCSV(path, { inferSchemaLength: 0, nullValues: [""] });
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split("\n")[0] as string) : "";
    throw invalid(name, path, `The file is not a CSV file with a header (${problem.slice(0, 200)}).`);
  }
}
