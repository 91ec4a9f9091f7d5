export { identifier } from "../../tables/openDuckDB.js";

/** A value as a literal of SQL. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "string" ? `'${value.replaceAll("\0", "").replaceAll("'", "''")}'` : String(value);
}

/** A list of rows for `values`. */
export function tuples(rows: ReadonlyArray<readonly unknown[]>): string {
  return rows.map((row) => `(${row.map(literal).join(", ")})`).join(", ");
}
