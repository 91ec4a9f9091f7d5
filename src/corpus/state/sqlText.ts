export { identifier } from "../../tables/openDuckDB.js";

/** Text as a literal of SQL; null for a missing value. */
export function literal(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "string" ? `'${value.replaceAll("\0", "").replaceAll("'", "''")}'` : String(value);
}

/** A list of rows for `values`. */
export function tuples(rows: ReadonlyArray<ReadonlyArray<Parameters<typeof literal>[0]>>): string {
  return rows.map((row) => `(${row.map(literal).join(", ")})`).join(", ");
}
