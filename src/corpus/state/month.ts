import type { MentionColumns } from "./columns.js";

/** The Hive layout's name for a missing value. */
const NONE = "__HIVE_DEFAULT_PARTITION__";
export const NO_MONTH = `year=${NONE}/month=${NONE}`;

/** `begintime` of a table as a time. The service can send text in which not every time can be read. */
export function timeOf(columns: MentionColumns, table: string): string {
  const isTime = columns.typeOf("begintime") === "TIMESTAMP WITH TIME ZONE";
  return isTime ? `${table}.begintime` : `try_cast(${table}.begintime::varchar as timestamptz)`;
}

/** The month of a row in UTC, as the name of its directory: `year=2024/month=03`. */
export function monthOf(columns: MentionColumns, table: string): string {
  return `coalesce(strftime(${timeOf(columns, table)}, 'year=%Y/month=%m'), '${NO_MONTH}')`;
}
