import { checkedOptions } from "../errors/validators.js";
import { pl } from "../frames/polars.js";
import { requireColumns, valuesOf } from "./source/columns.js";
import { type By, Grouping } from "./source/grouping.js";
import { resultFrame } from "./source/resultFrame.js";
import { type FrameOf, framesOf, likeSource, type TextSource } from "./source/textSource.js";

/** Options of {@link summarizeReairings}. */
export interface SummarizeReairingsOptions {
  /** Columns or periods to sum by. Default: none. */
  by?: By | undefined;
}

/**
 * How totals change if every speech counts once.
 *
 * @param source the result of `reairings`
 * @param given groups
 * @returns the columns of `by`, `mentions`, `first_mentions`, `seconds`, `first_seconds`, and `repeated`, the share of mentions that repeat
 *   others. Periods in the order of time, and the most repeated first
 * @throws ValidationError for a source without the column `first`
 * @example
 * await summarizeReairings(await reairings(frame), { by: "person" });
 */
export async function summarizeReairings<S extends TextSource>(
  source: S,
  given: SummarizeReairingsOptions = {},
): Promise<FrameOf<S>> {
  const { by } = checkedOptions(given, ["by"], "option of summarizeReairings");
  const grouping = new Grouping(by);
  const sums: { mentions: number; first_mentions: number; seconds: number; first_seconds: number }[] = [];
  for await (const frame of framesOf(source)) {
    requireColumns(frame, ["first"]);
    const [firsts, lengths] = [valuesOf(frame, "first"), valuesOf(frame, "length")];
    grouping.indexes(frame).forEach((group, row) => {
      sums[group] ??= { mentions: 0, first_mentions: 0, seconds: 0, first_seconds: 0 };
      const sum = sums[group] as (typeof sums)[number];
      const [isFirst, length] = [firsts[row] === false ? 0 : 1, Number(lengths[row] ?? 0)];
      sum.mentions++;
      sum.first_mentions += isFirst;
      sum.seconds += length;
      sum.first_seconds += isFirst * length;
    });
  }
  const rows = sums.map((sum, group) => ({ ...sum, group, repeated: 1 - sum.first_mentions / sum.mentions }));
  const byTime = byPeriod(grouping);
  rows.sort(
    (a, b) => byTime(a.group, b.group) || b.repeated - a.repeated || b.mentions - a.mentions || a.group - b.group,
  );
  const result = resultFrame([
    ...grouping.columns(rows.map(({ group }) => group)),
    ...(["mentions", "first_mentions", "seconds", "first_seconds"] as const).map((name) => ({
      name,
      values: rows.map((row) => row[name]),
      dtype: pl.Int64,
    })),
    { name: "repeated", values: rows.map(({ repeated }) => repeated), dtype: pl.Float64 },
  ]);
  return likeSource(source, result);
}

/** Compares groups by their period; rows without a time are last. */
function byPeriod({ period, groups }: Grouping): (a: number, b: number) => number {
  if (period === undefined) return () => 0;
  const beginOf = (group: number) => String(groups[group]?.[period.at] ?? "~");
  return (a, b) => (beginOf(a) < beginOf(b) ? -1 : beginOf(a) > beginOf(b) ? 1 : 0);
}
