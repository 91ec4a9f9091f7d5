import { nonEmptyString } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { refuseRepeated } from "../frames/resultFrame.js";
import { speakerId } from "../members/speakerId.js";
import { type CompareOptions, compare } from "./compare.js";
import { otherSpeech } from "./counting/countRates.js";
import type { Pattern } from "./pattern.js";
import { hasColumn, requireColumns, textsOf } from "./source/columns.js";
import { collected, type FrameOf, likeSource, type TextSource } from "./source/textSource.js";

/**
 * Repeats a comparison of two groups under other decisions, in one table: each speech once ({@link reairings}), as shares of mentions, per word and per hour,
 * and with all rows whose speaker has no group on the one side, then on the other. A finding that a paper rests on should hold in each of them.
 *
 * The units of differences differ; the `ratio` and `p` can be compared. All rows are held in memory.
 *
 * @param source rows with a column `text`; each speech once needs `id` and `begintime`, an hour `length`
 * @param patterns as in `kwic`
 * @param options as in {@link compare}, with `by`, the column of the groups
 * @returns the first row of {@link compare} for each `variant` and pattern; variants that the columns do not allow are left out
 * @throws ValidationError as `compare`, and for groups by periods
 * @example
 * const speech = await withMembers(await archive.mentions("the", { mindate: "2024-01-01", maxItems: 20_000 }));
 * const table = await robustness(speech, "inflation", { by: "party", groups: ["Democrat", "Republican"], baseline: "own rows" });
 * table.select("variant", "rate", "difference", "ratio", "p_adjusted");
 */
export async function robustness<S extends TextSource>(
  source: S,
  patterns: Pattern | readonly Pattern[],
  options: CompareOptions & { readonly by: string },
): Promise<FrameOf<S>> {
  nonEmptyString("by", options?.by, "party");
  const [rows, base] = [await collected(source), otherSpeech(options.baseline)];
  const speech = base === undefined ? undefined : await collected(base);
  requireColumns(rows, [options.by]);
  refuseRepeated([options.by, "variant"]);
  const [tables, frames] = [[] as PolarsFrame[], [rows, ...(speech === undefined ? [] : [speech])]];
  let groups: readonly (string | null)[] = [];
  const add = async (variant: string, changed: CompareOptions, of = (frame: PolarsFrame) => frame) => {
    const baseline = speech === undefined ? options.baseline : of(speech);
    const found = await compare(of(rows), patterns, { ...options, baseline, ...changed });
    // As texts, whatever the type in which they were given.
    if (groups.length === 0) groups = [...new Set(textsOf(found, options.by))];
    tables.push(found.filter(pl.col("difference").isNotNull()).withColumns(pl.lit(variant).alias("variant")));
  };
  await add("as given", {});
  const hasAll = (...names: string[]) => frames.every((frame) => names.every((name) => hasColumn(frame, name)));
  if (options.once !== true && hasAll("id", "begintime")) await add("each speech once", { once: true });
  const units = [
    ["mention", "share of mentions"],
    [10_000, "per 10,000 words"],
    ["hour", "per hour"],
  ] as const;
  for (const [per, variant] of units)
    if (per !== (options.per ?? 10_000) && (per !== "hour" || hasAll("length"))) await add(variant, { per });
  for (const side of groups)
    await add(`without ${options.by}: all to ${side}`, {}, (frame) => assigned(frame, side, options));
  const [first = pl.DataFrame({}), ...others] = tables;
  const table = pl.concat([first, ...others]);
  const ordered = table.select("variant", ...first.columns.filter((name) => name !== "variant"));
  return likeSource(source, ordered, ["robustness", "summary", { patterns, by: options.by }], base);
}

/** Rows without a group in the given one; those without a speaker are a speaker each. */
function assigned(
  frame: PolarsFrame,
  side: string | null,
  { by, cluster = "personid" }: CompareOptions & { readonly by: string },
) {
  const [groups, clusters] = [textsOf(frame, by), textsOf(frame, cluster)];
  const names = clusters.map((value, row) => {
    const known = cluster === "personid" ? speakerId(value) : value;
    return groups[row] === null ? (known ?? `row ${row}`) : value;
  });
  // Its value from a row that has it: any type has values, and few have a text for each.
  const given = groups.indexOf(side);
  const filled = frame.getColumn(by).gather(groups.map((group, row) => (group === null && given >= 0 ? given : row)));
  return frame.withColumns(filled, pl.Series(cluster, names, pl.Utf8));
}
