import { sqlValue } from "./database.js";

/** The Hive layout's name for a missing value. */
const NONE = "__HIVE_DEFAULT_PARTITION__";
const NO_MONTH = `year=${NONE}/month=${NONE}`;
const MONTH = "year=%Y/month=%m";

/** A time in UTC without a zone: such times take a quarter of the CPU. */
const inUtc = (time: string) => `make_timestamp(epoch_us(${time}))`;

/** The months of the column `begintime` of some rows, as the names of their directories. Formatting each day once takes a third of the CPU. */
export function monthsOf(rows: string): string {
  return `select distinct coalesce(strftime(day, '${MONTH}'), '${NO_MONTH}') as month
    from (select distinct ${inUtc("begintime")}::date as day from (${rows}))`;
}

/** Notes that the months of some rows have to be published. */
export function markDirty(rows: string): string {
  return `insert or ignore into dirty ${monthsOf(rows)};`;
}

/** Whether the column `begintime` of a row is in a month. */
export function isInMonth(month: string): string {
  const [, year, number] = /^year=(\d{4})\/month=(\d\d)$/.exec(month) ?? [];
  if (year === undefined)
    return `coalesce(strftime(${inUtc("begintime")}, '${MONTH}'), '${NO_MONTH}') = ${sqlValue(month)}`;
  const first = `timestamptz '${year}-${number}-01 00:00:00+00'`;
  return `begintime >= ${first} and begintime < ${first} + interval 1 month`;
}
