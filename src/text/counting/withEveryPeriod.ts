import { periodsOf } from "../../frames/periodsOf.js";
import type { Grouping } from "../source/grouping.js";

/**
 * Adds groups for the periods in which a group has no rows: every period between the first and the last one of all groups. Returns the indexes
 * of all groups, sorted by their values; missing values come last.
 */
export function withEveryPeriod(grouping: Grouping): readonly number[] {
  const { period } = grouping;
  if (period !== undefined) {
    const begins = grouping.groups.map((values) => values[period.at]).filter((begin) => begin !== null);
    const days = periodsOf(
      [...new Set(begins)].map((begin) => Date.parse(begin as string)),
      period.period,
    );
    const others = new Map(
      grouping.groups.map((values) => [JSON.stringify(values.toSpliced(period.at, 1).map(String)), values]),
    );
    for (const values of [...others.values()]) {
      for (const { begin } of days) grouping.indexOf(values.toSpliced(period.at, 1, begin));
    }
  }
  const { groups } = grouping;
  return groups.map((_values, index) => index).sort((a, b) => compare(groups[a] ?? [], groups[b] ?? []));
}

function compare(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [at, value] of left.entries()) {
    const other = right[at];
    if (value === other) continue;
    if (value === null || other === null) return value === null ? 1 : -1;
    return (value as string) < (other as string) ? -1 : 1;
  }
  return 0;
}
