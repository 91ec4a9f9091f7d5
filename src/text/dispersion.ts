import { checkedOptions } from "../errors/validators.js";
import { pl } from "../frames/polars.js";
import { speakerId } from "../util/speakerId.js";
import { Captions } from "./captions.js";
import { Denominators } from "./counting/denominators.js";
import { PatternTally } from "./counting/patternTally.js";
import { compilePatterns, type Pattern } from "./pattern.js";
import { captionsOf, hasColumn, valuesOf } from "./source/columns.js";
import { type By, Grouping } from "./source/grouping.js";
import { resultFrame } from "./source/resultFrame.js";
import { type FrameOf, framesOf, likeSource, type TextSource } from "./source/textSource.js";
import { dispersionOf } from "./statistics/dispersionOf.js";

/** Options of {@link dispersion}. */
export interface DispersionOptions {
  /** The columns or period whose values are the parts, for example `"person"` or `"month"`. Default `"programid"`. */
  parts?: By | undefined;
}

/** Columns that say who speaks. */
const SPEAKERS = new Set(["person", "personid"]);
const EMPTY = { juilland_d: null, dp: null, dp_norm: null };

/**
 * Whether a pattern is spread evenly or said in few places. Parts are weighted by their words; parts without words do not count. Rows
 * without a part are left out, and if speakers are the parts, so are unidentified ones (`personid` 999999 or null).
 *
 * @param source rows with a column `text`
 * @param patterns as in `kwic`
 * @param given what the parts are
 * @returns one row per pattern: `pattern`, `count`, `parts`, `range` (parts with the pattern), `left_out` (rows), `juilland_d` (1 is even), `dp` and `dp_norm` (0 is
 *   even); the measures are null for a pattern that is never said
 * @throws ValidationError for an invalid source, pattern or option
 * @example
 * await dispersion(frame, ["climate change", "budget"], { parts: "person" });
 */
export async function dispersion<S extends TextSource>(
  source: S,
  patterns: Pattern | readonly Pattern[],
  given: DispersionOptions = {},
): Promise<FrameOf<S>> {
  const { parts = "programid" } = checkedOptions(given, ["parts"], "option of dispersion");
  const compiled = compilePatterns(patterns);
  const grouping = new Grouping(parts);
  const tally = new PatternTally(compiled, false);
  const words = new Denominators(1);
  let leftOut = 0;
  for await (const frame of framesOf(source)) {
    const captions = captionsOf(frame);
    const groups = grouping.indexes(frame);
    const ids =
      grouping.by.some((name) => SPEAKERS.has(name)) && hasColumn(frame, "personid") && valuesOf(frame, "personid");
    const kept = [...groups.keys()].filter(
      (row) => grouping.label(groups[row] as number) !== null && (!ids || speakerId(ids[row]) !== null),
    );
    leftOut += groups.length - kept.length;
    const partOf = kept.map((row) => groups[row] as number);
    const said = new Captions(kept.map((row) => captions.texts[row] ?? null));
    tally.add(said, partOf);
    words.add(frame, said, partOf, "source");
  }
  const spoken = grouping.groups.map((_values, group) => group).filter((group) => words.of(group) > 0);
  const sizes = spoken.map((group) => words.of(group));
  const rows = compiled.map(({ name }, pattern) => {
    const counts = spoken.map((group) => tally.count(group, pattern));
    const count = counts.reduce((sum, each) => sum + each, 0);
    const range = counts.filter((each) => each > 0).length;
    return {
      pattern: name,
      count,
      parts: spoken.length,
      range,
      left_out: leftOut,
      ...(count === 0 ? EMPTY : dispersionOf(counts, sizes)),
    };
  });
  const result = resultFrame([
    { name: "pattern", values: rows.map(({ pattern }) => pattern), dtype: pl.Utf8 },
    ...(["count", "parts", "range", "left_out"] as const).map((name) => ({
      name,
      values: rows.map((row) => row[name]),
      dtype: pl.Int64,
    })),
    ...(["juilland_d", "dp", "dp_norm"] as const).map((name) => ({
      name,
      values: rows.map((row) => row[name]),
      dtype: pl.Float64,
    })),
  ]);
  return likeSource(source, result);
}
