import { invalid, nearest } from "../../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../../frames/engine.js";
import { toRecords } from "../../frames/toRecords.js";
import { userPath } from "../../fs/userPath.js";
import { readTable } from "../../tables/readTable.js";
import { columnsOf } from "../database/tables.js";

const GIVE = `Give the path of a CSV file with a column per parameter, a frame or a list, for example searches: [{ query: '"inflation"', mindate: "2021-01-01" }].`;

/**
 * The rows of a list, a frame, or a CSV file with a header. The cells of a file are text: an id or a label stays as it is spelled. An
 * empty cell is null.
 */
export async function searchRows(searches: unknown): Promise<readonly unknown[]> {
  let rows = searches;
  refuseDanfo(searches, "searches");
  if (isPolarsFrame(searches)) rows = toRecords(searches);
  else if (typeof searches === "string") {
    const path = userPath("searches", searches, "searches.csv");
    const { frame } = await readTable(path, { asText: true }).catch((error: Error) => {
      throw invalid("searches", searches, `${error.message} ${GIVE}`);
    });
    rows = toRecords(frame);
  }
  if (!Array.isArray(rows) || rows.length === 0) throw invalid("searches", searches, GIVE);
  return rows;
}

/**
 * The labels of a row, as text: every column that is not a parameter.
 *
 * @throws ValidationError for the name of a parameter with a spelling mistake, which would otherwise be ignored; or for a value that is neither
 *   a text, a number, a boolean nor a date
 */
export function labelsOf(
  row: Readonly<Record<string, unknown>>,
  parameters: readonly string[],
): Record<string, string> {
  const reserved = columnsOf("searches").map(([name]) => name);
  const labels = Object.entries(row).filter(([name]) => !parameters.includes(name));
  for (const [name] of labels) {
    const near = nearest(name, parameters);
    if (near !== undefined)
      throw invalid("label", name, `Did you mean ${near}? To keep a label, give it a name that is not so similar.`);
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
