import { checkedOptions, invalid, nonNegativeNumber } from "../errors/validators.js";
import { concatFrames } from "../frames/concatFrames.js";
import { pl } from "../frames/polars.js";
import { Repeats, type Speech } from "./counting/repeats.js";
import { captionsOf, requireColumns, textsOf, timesOf } from "./source/columns.js";
import { speakersOf } from "./source/speakers.js";
import { type FrameOf, framesOf, likeSource, type TextSource } from "./source/textSource.js";

/** Options of {@link reairings}. */
export interface ReairingsOptions {
  /** The share of the shorter text that must be in the longer one, above 0 and up to 1. Default 0.7. */
  overlap?: number | undefined;
  /** A repeat comes at most this many days after the first broadcast. Default 366. */
  days?: number | undefined;
}

/**
 * Marks speeches that were broadcast several times, whole or as clips: mentions of the same speaker that share most of
 * their words in the same order. No row is dropped; `frame.filter(pl.col("first"))` keeps one broadcast of each.
 *
 * Two mentions belong together if at least `overlap` of the sequences of five words in the shorter one are in the other, sequences that many
 * speeches share counting less. Speakers are compared by `personid`, without one by name; an unidentified speaker can repeat
 * anyone. Mentions with fewer than eight words are never matched. All rows are held in memory.
 *
 * @param source mentions with `id`, `begintime` and `text`
 * @param given overlap and days
 * @returns the rows of the source with `cluster`, the id of the first broadcast, and `first`, whether this row is that broadcast; null and
 *   true for rows without an id
 * @throws ValidationError for an invalid source or option
 * @example
 * const marked = await reairings(await archive.mentions("climate", { maxItems: 1000 }));
 * const once = marked.filter(pl.col("first"));
 */
export async function reairings<S extends TextSource>(source: S, given: ReairingsOptions = {}): Promise<FrameOf<S>> {
  const { overlap = 0.7, days = 366 } = checkedOptions(given, ["overlap", "days"], "option of reairings");
  if (!(typeof overlap === "number" && overlap > 0 && overlap <= 1)) {
    throw invalid("overlap", overlap, "Give a share above 0 and up to 1, for example overlap: 0.7.");
  }
  nonNegativeNumber("days", days, 366, "days");
  const frames = [];
  for await (const frame of framesOf(source)) frames.push(frame);
  const whole = concatFrames(frames);
  requireColumns(whole, ["id", "begintime"]);
  const [ids, times, speakers] = [textsOf(whole, "id"), timesOf(whole), speakersOf(whole)];
  const speeches = captionsOf(whole).spoken.map(
    (spoken, row): Speech => ({ spoken: spoken ?? "", time: times[row] ?? null, speaker: speakers[row] ?? null }),
  );
  const first = new Repeats(speeches, overlap, days).firsts();
  const clusters = first.map((at) => ids[at] ?? null);
  const marked = whole.withColumns(
    pl.Series("cluster", clusters, pl.Utf8),
    pl.Series(
      "first",
      first.map((at, row) => at === row),
      pl.Bool,
    ),
  );
  return likeSource(source, marked);
}
