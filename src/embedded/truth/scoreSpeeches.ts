import type { BillTruth } from "./truthTypes.js";

/** How well a method found the speeches on some bills. */
export interface SpeechScore {
  /** Speeches that it should have found. */
  readonly expected: number;
  /** Mentions that it found. */
  readonly found: number;
  /** Mentions that it found and should have found. */
  readonly correct: number;
  /** `correct / expected`, 0 to 1; 1 if nothing is expected. */
  readonly recall: number;
  /** `correct / found`, 0 to 1; 1 if nothing is found. */
  readonly precision: number;
  /** Harmonic mean of recall and precision, 0 to 1. */
  readonly f1: number;
}

/** What was found for a bill: the ids of mentions. */
export interface FoundSpeeches {
  /** The bill, from {@link corpusTruth}. */
  readonly bill: Pick<BillTruth, "speeches">;
  /** The ids of the mentions that the method attributes to the bill. */
  readonly ids: Iterable<string>;
}

/**
 * Scores a method that finds the speeches on bills. Speeches on all bills count alike.
 *
 * @param results what it found, by bill; equal ids count once per bill
 * @param options `videotypes`: the video types that were searched, default `["Speech", "Debate"]`
 * @example
 * const truth = corpusTruth({ size: 5_000 });
 * const perfect = truth.bills.map((bill) => ({ bill, ids: bill.speeches.map(({ id }) => id) }));
 * scoreSpeeches(perfect).recall; //=> 1
 */
export function scoreSpeeches(
  results: Iterable<FoundSpeeches>,
  { videotypes = ["Speech", "Debate"] }: { videotypes?: readonly string[] } = {},
): SpeechScore {
  let [expected, found, correct] = [0, 0, 0];
  for (const { bill, ids } of results) {
    const inOthers = new Set<string>();
    const wanted = new Set<string>();
    for (const { id, videotype } of bill.speeches) (videotypes.includes(videotype) ? wanted : inOthers).add(id);
    expected += wanted.size;
    for (const id of new Set(ids)) {
      if (inOthers.has(id)) continue;
      found++;
      if (wanted.has(id)) correct++;
    }
  }
  const recall = expected === 0 ? 1 : correct / expected;
  const precision = found === 0 ? 1 : correct / found;
  return {
    expected,
    found,
    correct,
    recall,
    precision,
    f1: correct === 0 ? 0 : (2 * recall * precision) / (recall + precision),
  };
}
