import { selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";

/** A sample value of each type. A line of samples before the rows fixes the type that polars infers for every column. */
export const SAMPLES = { string: "", datetime: "", int: 0, float: 0.5, bool: true } as const;

/** The line from which polars infers the columns and types of the lines after it. */
export function templateLine(names: readonly string[], samples: readonly unknown[]): string {
  return `{${names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(samples[at])}`).join(",")}}\n`;
}

/**
 * Parses NDJSON whose first line is a template line into a frame of the lines after it.
 *
 * @param names the columns of the template, in order; polars may reorder more than 32 columns
 * @throws Error if a line does not fit the template or is not JSON
 */
export function readLines(lines: Buffer, names: readonly string[]): PolarsFrame {
  const frame = pl.readJSON(lines, { format: "lines", inferSchemaLength: 1 });
  const rows = frame.slice(1, frame.height - 1);
  return names.length > 32 ? selectColumns(rows, names) : rows;
}
