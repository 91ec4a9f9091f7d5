import { checkedOptions, nonEmptyString, positiveInteger } from "../errors/validators.js";
import { pairFrame } from "./counting/pairFrame.js";
import { requireColumns, textsOf } from "./source/columns.js";
import { type By, Grouping } from "./source/grouping.js";
import { type FrameOf, framesOf, likeSource, type TextSource } from "./source/textSource.js";

/** Options of {@link coSpeech}. */
export interface CoSpeechOptions {
  /** Who is compared. Default `"person"`. */
  by?: By | undefined;
  /** The column whose values are occasions. Default `"programid"`. */
  occasion?: string | undefined;
  /** Number of groups to compare, those on the most occasions. Default 30. */
  top?: number | undefined;
}

/**
 * Who speaks on the same occasions: a network of speakers, as pairs.
 *
 * @param source mentions with the columns of `by` and `occasion`
 * @param given speakers, occasions, how many
 * @returns `a`, `b`, `programs` (occasions of both) and `jaccard` (those as a share of the occasions of either) for every pair, the most programs first
 * @throws ValidationError for an invalid source or option
 * @example
 * await coSpeech(frame, { top: 20 });
 */
export async function coSpeech<S extends TextSource>(source: S, given: CoSpeechOptions = {}): Promise<FrameOf<S>> {
  const {
    by = "person",
    occasion = "programid",
    top = 30,
  } = checkedOptions(given, ["by", "occasion", "top"], "option of coSpeech");
  nonEmptyString("occasion", occasion, "programid");
  positiveInteger("top", top, 30);
  const grouping = new Grouping(by);
  const occasions: Set<unknown>[] = [];
  for await (const frame of framesOf(source)) {
    requireColumns(frame, [occasion]);
    const values = textsOf(frame, occasion);
    grouping.indexes(frame).forEach((group, row) => {
      occasions[group] ??= new Set();
      if (values[row] !== null) (occasions[group] as Set<unknown>).add(values[row]);
    });
  }
  const groups = occasions
    .map((set, group) => ({ set, group, name: grouping.label(group) }))
    .filter(({ name }) => name !== null);
  const largest = groups.sort((a, b) => b.set.size - a.set.size || a.group - b.group).slice(0, top);
  const both = (a: number, b: number) =>
    [...(largest[a]?.set ?? [])].filter((each) => largest[b]?.set.has(each)).length;
  const either = (a: number, b: number) => (largest[a]?.set.size ?? 0) + (largest[b]?.set.size ?? 0) - both(a, b);
  const measures = { programs: both, jaccard: (a: number, b: number) => both(a, b) / Math.max(1, either(a, b)) };
  return likeSource(
    source,
    pairFrame(
      largest.map(({ name }) => name as string),
      measures,
      "programs",
    ),
  );
}
