import { ValidationError } from "../errors/index.js";
import { checkedOptions, invalid, positiveNumber } from "../errors/validators.js";
import { askedRange } from "../frames/periodsOf.js";
import { pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { queryOf, refuseIncomplete, refuseSameSearch, refuseSearch, warnOfCap } from "./counting/checkBaseline.js";
import { Denominators, PatternTally, type Per } from "./counting/tallies.js";
import { compilePatterns, type Pattern } from "./pattern.js";
import { captionsOf } from "./source/columns.js";
import { type By, Grouping, withEveryPeriod } from "./source/grouping.js";
import { columnsOf, resultFrame } from "./source/resultFrame.js";
import { type FrameOf, framesOf, likeSource, readProvenance, type TextSource } from "./source/textSource.js";
import { poissonInterval, wilsonInterval } from "./statistics.js";

/** Options of {@link rates}. */
export interface RatesOptions {
  /** Columns or periods to compare, for example `["month", "party"]`. Default: none. */
  by?: By | undefined;
  /**
   * A number of words, `"hour"` for an hour of speech (from `length`), or `"mention"` for the share of mentions that contain the pattern.
   * Default 10,000 words.
   */
  per?: number | "hour" | "mention" | undefined;
  /**
   * All speech that the matches are a part of: its words, hours or mentions are the denominators. Default: the source itself. The rows of a text search
   * are chosen for what they say and need a baseline; `"own rows"` accepts them as they are.
   */
  baseline?: TextSource | "own rows" | undefined;
  /** Confidence of the intervals, between 0 and 1. Default 0.95. */
  confidence?: number | undefined;
}

/**
 * How often patterns occur, as rates with their counts, denominators and confidence intervals. Periods without speech are
 * in the result, with a count of 0 and no rate.
 *
 * Counts per word or hour have exact Poisson intervals (Garwood 1936), because one mention can match several times; shares of mentions have
 * Wilson's (1927). Both assume independent matches. Speakers repeat themselves, so the true uncertainty is larger.
 *
 * @param source rows with a column `text`; for `per: "hour"` also `length`, in seconds
 * @param patterns as in `kwic`
 * @param given groups, unit, baseline, confidence
 * @returns the columns of `by`, `pattern`, `count`, `denominator` (words, hours or mentions), `rate`, `low` and `high`, sorted by pattern and group
 * @throws ValidationError for an invalid source, pattern or option; for the rows of a text search without a baseline
 * @example
 * const all = await archive.mentions("the", { mindate: "2024-01-01", maxItems: 5000 });
 * await rates(all, ["inflation", "tax*"], { by: "month", baseline: "own rows" });
 */
export async function rates<S extends TextSource>(
  source: S,
  patterns: Pattern | readonly Pattern[],
  given: RatesOptions = {},
): Promise<FrameOf<S>> {
  const options = checkedOptions(given, ["by", "per", "baseline", "confidence"], "option of rates");
  const { baseline } = options;
  const per = checkedPer(options.per);
  const confidence = checkedConfidence(options.confidence);
  const compiled = compilePatterns(patterns);
  const grouping = new Grouping(options.by);
  const tally = new PatternTally(compiled, per === "mention");
  const denominators = new Denominators(per);
  const other = baseline === undefined || baseline === "own rows" ? undefined : baseline;
  let query: string | undefined;
  if (other !== undefined) {
    refuseIncomplete(source, "source");
    refuseIncomplete(other, "baseline");
  }
  for await (const frame of framesOf(source)) {
    if (baseline === undefined) refuseSearch(frame);
    else if (other === undefined) warnOfCap(provenanceOf(frame), "rates");
    query ??= queryOf(frame);
    const captions = captionsOf(frame);
    const groups = grouping.indexes(frame);
    tally.add(captions, groups);
    if (other === undefined) denominators.add(frame, captions, groups, "source");
  }
  if (other !== undefined) {
    for await (const frame of framesOf(other, "baseline")) {
      refuseSameSearch(frame, query);
      denominators.add(frame, captionsOf(frame, "baseline"), grouping.indexes(frame, "baseline"), "baseline");
    }
  }
  const order = withEveryPeriod(grouping, askedRange(readProvenance(other ?? source)));
  const unit = typeof per === "number" ? per : 1;
  const rows = compiled.flatMap(({ name }, pattern) =>
    order.map((group) => {
      const [count, denominator] = [tally.count(group, pattern), denominators.of(group)];
      return { pattern: name, group, count, denominator, ...rateOf(count, denominator, unit, per, confidence) };
    }),
  );
  const result = resultFrame([
    ...grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "pattern"),
    ...columnsOf(rows, pl.Int64, "count"),
    ...columnsOf(rows, pl.Float64, "denominator", "rate", "low", "high"),
  ]);
  return likeSource(
    source,
    result,
    ["rates", "summary", patterns, options.by ?? ""],
    other === undefined ? [] : [other],
  );
}

interface Rate {
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

function rateOf(count: number, denominator: number, unit: number, per: Per, confidence: number): Rate {
  if (denominator === 0) return { rate: null, low: null, high: null };
  if (per === "mention") {
    if (count > denominator) throw tooFew();
    return { rate: count / denominator, ...wilsonInterval(count, denominator, confidence) };
  }
  const { low, high } = poissonInterval(count, confidence);
  const scale = unit / denominator;
  return { rate: count * scale, low: low * scale, high: high * scale };
}

function tooFew(): ValidationError {
  return new ValidationError("invalid baseline: it has fewer mentions than contain the pattern.", {
    hint: "Give all speech that the source is a part of.",
    parameter: "baseline",
  });
}

function checkedPer(per: RatesOptions["per"] = 10_000): Per {
  if (per === "hour" || per === "mention") return per;
  if (typeof per === "number") return positiveNumber("per", per, 10_000, "words");
  throw invalid("per", per, 'Give a number of words, "hour" or "mention".');
}

function checkedConfidence(confidence = 0.95): number {
  if (typeof confidence === "number" && confidence > 0 && confidence < 1) return confidence;
  throw invalid("confidence", confidence, "Give a number between 0 and 1, for example confidence: 0.95.");
}
