import { checkedOptions } from "../errors/validators.js";
import { pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { sum } from "../util/sum.js";
import { RepeatedRows, warnOfChosenRows } from "./counting/checkBaseline.js";
import { clustersOf, speechOf } from "./counting/countRates.js";
import { Denominators, PatternTally } from "./counting/tallies.js";
import { compilePatterns, type Pattern } from "./pattern.js";
import { captionsOf } from "./source/columns.js";
import { type By, Grouping } from "./source/grouping.js";
import { isWeighted, type OnceOption, RowWeights, type WeightsOption, wholeNumber } from "./source/rowWeights.js";
import { type FrameOf, framesOf, likeSource, type TextSource } from "./source/textSource.js";

/** Options of {@link dispersion}. */
export interface DispersionOptions extends WeightsOption, OnceOption {
  /** The columns or period whose values are the parts, for example `"person"` or `"month"`. Default `"programid"`. */
  parts?: By | undefined;
}

const EMPTY = { juilland_d: null, dp: null, dp_norm: null };

/**
 * Whether a pattern is spread evenly or said in few places. Parts are weighted by their words; parts without words do not count. Rows
 * without a part are left out, rows of a sample count by their weights, and if speakers are the parts, so are unidentified ones (`personid` 999999 or null).
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
  const options = checkedOptions(given, ["parts", "once", "weights"], "option of dispersion");
  const { parts = "programid" } = options;
  const weights = new RowWeights(options.weights);
  const compiled = compilePatterns(patterns);
  const grouping = new Grouping(parts);
  const tally = new PatternTally(compiled, false);
  const words = new Denominators(1);
  let leftOut = 0;
  const speech = await speechOf(source, options);
  const repeated = new RepeatedRows(speech.source);
  for await (const frame of framesOf(speech.source)) {
    warnOfChosenRows(provenanceOf(frame), "dispersion");
    const captions = captionsOf(frame);
    repeated.add(frame, captions);
    const parted = clustersOf(frame, grouping);
    leftOut += parted.filter((part) => part === null).length;
    const drawn = weights.of(frame);
    tally.add(captions, parted, drawn?.weights);
    words.add(captions, parted, drawn?.weights);
  }
  repeated.warn("dispersion");
  const spoken = grouping.groups.map((_values, group) => group).filter((group) => words.of(group) > 0);
  const scaled = (value: number) => weights.scaled(value);
  const sizes = spoken.map((group) => words.of(group, scaled));
  const rows = compiled.map(({ name }, pattern) => {
    const counts = spoken.map((group) => scaled(tally.count(group, pattern)));
    const count = wholeNumber(sum(counts));
    const range = counts.filter((each) => each > 0).length;
    const measures = count === 0 ? EMPTY : dispersionOf(counts, sizes);
    return { pattern: name, count, parts: spoken.length, range, left_out: leftOut, ...measures };
  });
  const result = resultFrame([
    ...columnsOf(rows, pl.Utf8, "pattern"),
    ...columnsOf(rows, pl.Int64, "count", "parts", "range", "left_out"),
    ...columnsOf(rows, pl.Float64, "juilland_d", "dp", "dp_norm"),
  ]);
  const facts = { patterns, once: options.once, weighted: isWeighted(source, options.weights) };
  return likeSource(source, result, ["dispersion", "summary", facts]);
}

/**
 * Juilland's D from relative frequencies (Juilland, Brodin and Davidovitch 1970), Gries' deviation of proportions (Gries 2008,
 * "Dispersions and adjusted frequencies in corpora") and its normalized form (Lijffijt and Gries 2012), which one part alone does not have.
 *
 * @param counts occurrences in each part, at least one in all
 * @param sizes the size of each part, above 0
 */
function dispersionOf(counts: readonly number[], sizes: readonly number[]) {
  const [occurrences, size] = [sum(counts), sum(sizes)];
  const parts = counts.length;
  const rates = counts.map((count, part) => count / (sizes[part] as number));
  const mean = sum(rates) / parts;
  const deviation = Math.sqrt(sum(rates.map((rate) => (rate - mean) ** 2)) / parts);
  const shares = sizes.map((each) => each / size);
  const dp = sum(counts.map((count, part) => Math.abs(count / occurrences - (shares[part] as number)))) / 2;
  const smallest = shares.reduce((least, share) => Math.min(least, share), 1);
  return {
    juilland_d: parts < 2 ? null : 1 - deviation / mean / Math.sqrt(parts - 1),
    dp,
    dp_norm: parts < 2 ? null : dp / (1 - smallest),
  };
}
