import { createHash } from "node:crypto";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { OWN_COLUMNS } from "../state/columns.js";

/** The column of an export without text that tells whether a mention has changed. */
export const CONTENT_HASH = "content_sha256";

const OWN: ReadonlySet<string> = new Set(OWN_COLUMNS);

/**
 * The SHA-256 of each mention as the service sent it: of the JSON list of its columns with values, by name. Whoever has the text can
 * recognize it by this, but nobody can read it.
 *
 * @param rows a file of the table of mentions
 */
export function contentHashes(rows: PolarsFrame): string[] {
  const names = rows.columns;
  const columns = rows
    .getColumns()
    .map((column, at) => ({ name: names[at] as string, values: valuesOf(column) }))
    .filter(({ name }) => !OWN.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return Array.from({ length: rows.height }, (_, row) => {
    const members = columns.flatMap(({ name, values }) => {
      const value = values[row];
      return value === null || value === undefined ? [] : [[name, String(value)]];
    });
    return createHash("sha256").update(JSON.stringify(members)).digest("hex");
  });
}

/** Timestamps in microseconds, so that no precision is lost. */
function valuesOf(column: pl.Series): unknown[] {
  const isTime = column.dtype.variant === "Datetime";
  return [...(isTime ? column.cast(pl.Int64) : column).toArray()];
}
