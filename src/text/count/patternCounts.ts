import { invalid, positiveNumber } from "../../errors/validators.js";
import { isPolarsFrame } from "../../frames/engine.js";
import { columnCells } from "../../frames/frameColumns.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { type Design, type Ratio, ratioOf } from "../interval.js";
import type { Captions } from "../read/captions.js";
import type { By } from "../read/grouping.js";
import { compilePatterns, type Pattern } from "../read/pattern.js";
import { readProvenance, requireColumns, type TextSource, textsOf } from "../read/textSource.js";
import { BREAK, spokenTokens } from "../read/tokens.js";
import { checkBaseline, warnOfNoLength, warnOfPatternBias } from "./notes.js";
import { Sample } from "./sample.js";
import { GroupTally } from "./tally.js";

/** Options of `rates`. */
export interface RatesOptions {
  /** Columns or periods: `["month", "party"]`. Default: none. */
  by?: By | undefined;
  /**
   * A number of words, `"hour"` (of speech, from `length`), or `"mention"` for the share of mentions with the pattern. Default: 10,000
   * words.
   */
  per?: Per | undefined;
  /**
   * `"own rows"` takes rates as shares of the rows of the source. The rows of a text search need it, because they were found by searching
   * for a word: their rates are not those of all speech.
   */
  baseline?: "own rows" | undefined;
  /**
   * The column that says whose rows resemble each other. `false` counts all rows, without intervals. Default: `"page"` for a sample drawn
   * by pages, otherwise `"personid"`.
   */
  cluster?: string | false | undefined;
  /** Confidence of the intervals. Default 0.95. */
  confidence?: number | undefined;
  /** Count a speech that was broadcast several times once, see `reairings`. Default: false, with a note about repeats. */
  once?: boolean | undefined;
}

/** A number of words, an hour of speech, or a mention. */
export type Per = number | "hour" | "mention";

/** The counts of patterns by group and cluster. */
export interface PatternCounts {
  readonly sample: Sample;
  readonly patterns: readonly string[];
  readonly per: Per;
  readonly design: Design;
  /** Denominators are words, mentions or seconds: whole numbers, whose sum does not depend on their order. */
  ratio(group: number, pattern: string): Ratio;
  /** The number of counted rows of a group. */
  rows(group: number): number;
}

/**
 * Counts patterns in one pass.
 *
 * @param verb the function of the caller, for messages
 * @throws ValidationError for an invalid source, pattern or option; for the rows of a text search without a baseline
 */
export async function countPatterns(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  options: RatesOptions,
  verb: string,
): Promise<PatternCounts> {
  const compiled = compilePatterns(patterns);
  const [per, confidence] = [checkedPer(options.per), checkedConfidence(options.confidence)];
  checkBaseline(options.baseline, undefined, verb);
  const { by, once, cluster = defaultCluster(source) } = options;
  // A comparison needs clusters.
  const sampleCluster = cluster === false && verb !== "compare" ? undefined : (cluster as string);
  const sample = new Sample(source, verb, { by, once, cluster: sampleCluster });
  const tallies = new Map<number, GroupTally>();
  const tallyOf = (group: number) => {
    const tally = tallies.get(group) ?? new GroupTally();
    tallies.set(group, tally);
    return tally;
  };
  let [height, withoutLength] = [0, 0];
  for await (const { frame, captions, groups, clusters } of sample.rows()) {
    checkBaseline(options.baseline, provenanceOf(frame), verb);
    const amounts = per === "hour" ? secondsOf(frame) : amountsOf(captions, per);
    withoutLength += amounts.filter((amount) => amount === null).length;
    const add = (row: number, pattern?: string) => {
      const [amount, group] = [amounts[row], groups[row] as number];
      // Without clusters, all rows are one cluster. The matches of a row without a length do not count.
      const cluster = clusters === undefined ? 0 : clusters[row];
      if (amount == null || cluster == null) return;
      if (pattern === undefined) tallyOf(group).all.add(amount, height + row, cluster);
      else tallyOf(group).add(pattern, height + row, cluster);
    };
    for (const row of groups.keys()) add(row);
    for (const { name, find } of compiled) {
      let last = -1;
      find(captions, (row) => {
        if (per !== "mention" || row !== last) add(row, name);
        last = row;
      });
    }
    height += frame.height;
  }
  if (options.baseline !== undefined) warnOfPatternBias(readProvenance(source), compiled, verb);
  warnOfNoLength(withoutLength, height, verb);
  const clusters = Math.max(1, sample.clusters);
  return {
    sample,
    patterns: compiled.map(({ name }) => name),
    per,
    design: { clusters, confidence },
    rows: (group) => tallyOf(group).all.rows,
    ratio: (group, pattern) => {
      const tally = tallyOf(group);
      return ratioOf({ counts: tally.counts(pattern, clusters), denominators: tally.all.byCluster(clusters) });
    },
  };
}

/** Checks a unit. Default 10,000 words. */
function checkedPer(per: unknown = 10_000): Per {
  if (per === "hour" || per === "mention") return per;
  if (typeof per === "number") return positiveNumber("per", per, 10_000, "words");
  throw invalid("per", per, 'Give a number of words, "hour" or "mention".');
}

/** Checks a confidence. Default 0.95. */
export function checkedConfidence(confidence: unknown = 0.95): number {
  if (typeof confidence === "number" && confidence > 0 && confidence < 1) return confidence;
  throw invalid("confidence", confidence, "Give a number between 0 and 1, for example confidence: 0.95.");
}

/** The number that each row adds to the denominator. */
function amountsOf({ spoken }: Captions, per: number | "mention"): readonly number[] {
  if (per === "mention") return spoken.map(() => 1);
  return spoken.map((text) => spokenTokens(text ?? "").filter((token) => token !== BREAK).length);
}

/** The seconds of every row; null for one without a length. */
function secondsOf(frame: PolarsFrame): readonly (number | null)[] {
  requireColumns(frame, ["length"]);
  return textsOf(frame, "length").map((text) =>
    text === null || !Number.isFinite(Number(text)) ? null : Number(text),
  );
}

/** Pages for a sample that was drawn by pages, otherwise speakers. */
function defaultCluster(source: TextSource): string {
  const isSample = readProvenance(source)?.sample !== undefined;
  return isSample && isPolarsFrame(source) && columnCells(source, "page").some((page) => page !== null)
    ? "page"
    : "personid";
}
