import { invalid } from "../../errors/validators.js";
import { spokenText } from "../read/captions.js";
import type { By } from "../read/grouping.js";
import { readProvenance } from "../read/textSource.js";
import { BREAK, spokenTokens } from "../read/tokens.js";
import { warnOfChosenRows } from "./notes.js";
import type { Sample } from "./sample.js";
import { GroupTally } from "./tally.js";

/** Options of `terms`. */
export interface TermsOptions {
  /** Words per term, 1 to 3, or several such numbers. Default 1. */
  ngrams?: number | readonly number[] | undefined;
  /** Columns or periods to count by. Default: none. */
  by?: By | undefined;
  /** Words to leave out; and longer terms that begin or end with one. Default: none. */
  stopwords?: Iterable<string> | undefined;
  /** Leave out terms that are rarer in their group. Default 1. */
  min?: number | undefined;
  /**
   * As in `rates`, `"personid"` for example: adds how much more often each group says a term than all others together. Needs `by`. Default:
   * none.
   */
  cluster?: string | undefined;
  /** Confidence of these intervals. Default 0.95. */
  confidence?: number | undefined;
  /** As in `rates`. Default: false. */
  once?: boolean | undefined;
}

/** The terms of so many words, by group. `all` has those with stop words, too. */
interface TermCounts {
  readonly size: number;
  readonly groups: readonly GroupTally[];
}

/**
 * Counts the terms of a sample by length, group and cluster, in one pass.
 *
 * @param name the parameter that errors name
 */
export async function countTerms(
  sample: Sample,
  { ngrams, stopwords }: Pick<TermsOptions, "ngrams" | "stopwords">,
  name = "source",
): Promise<readonly TermCounts[]> {
  const stops = checkedStopwords(stopwords);
  const counts = checkedSizes(ngrams).map((size) => ({ size, groups: [] as GroupTally[] }));
  let height = 0;
  for await (const { captions, groups, clusters } of sample.rows(name)) {
    for (const [row, text] of captions.spoken.entries()) {
      const [group, cluster] = [groups[row] as number, clusters?.[row]];
      if (text === null || cluster === null) continue;
      const words = spokenTokens(text);
      for (const { size, groups: tallies } of counts) {
        tallies[group] ??= new GroupTally();
        addTerms(tallies[group], words, size, stops, height + row, cluster);
      }
    }
    height += groups.length;
  }
  warnOfChosenRows(readProvenance(sample.source), sample.verb);
  return counts;
}

function addTerms(
  tally: GroupTally,
  words: readonly string[],
  size: number,
  stops: ReadonlySet<string>,
  row: number,
  cluster: number | undefined,
): void {
  let total = 0;
  for (let end = size; end <= words.length; end++) {
    const term = words.slice(end - size, end);
    if (term.includes(BREAK)) continue;
    total++;
    if (!stops.has(term[0] as string) && !stops.has(term[size - 1] as string)) tally.add(term.join(" "), row, cluster);
  }
  tally.all.add(total, row, cluster);
}

function checkedSizes(ngrams: number | readonly number[] = 1): readonly number[] {
  const sizes = [...new Set([ngrams].flat() as number[])];
  if (sizes.length > 0 && sizes.every((size) => size === 1 || size === 2 || size === 3)) return sizes;
  throw invalid("ngrams", ngrams, "Give 1, 2 or 3, or several of them, for example ngrams: [1, 2].");
}

/** Stop words as a set, in the form in which words are compared. */
export function checkedStopwords(words: Iterable<string> = []): ReadonlySet<string> {
  if (typeof words === "string" || typeof words?.[Symbol.iterator] !== "function") {
    throw invalid("stopwords", words, "Give a list of words, for example stopwords: stopwords().");
  }
  return new Set([...words].map((word) => spokenText(String(word))));
}
