import { checkedOptions, invalid } from "../../errors/validators.js";
import { columnCells } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { speakerId } from "../../members/speakers.js";
import { byCodeUnit, sum } from "../../util/lists.js";
import { DAY } from "../../util/period.js";
import {
  captionsOf,
  collectFrame,
  requireColumns,
  type TextSource,
  textsOf,
  timesOf,
  withStep,
} from "../read/textSource.js";
import { BREAK, spokenTokens } from "../read/tokens.js";

/**
 * Marks speeches that were broadcast several times, whole or as clips: mentions of the same speaker that share most of their words in the
 * same order. No row is dropped; all are held in memory.
 *
 * A mention repeats the earlier one, of the year before, that it shares most with, if at least `overlap` of the sequences of five words in
 * the shorter one are in the other; sequences that many speeches share count less. An unidentified speaker can repeat anyone. Mentions with
 * fewer than eight words are never matched.
 *
 * @param source mentions with `id`, `begintime` and `text`
 * @param options `overlap`: the share of the shorter text that must be in the longer one, above 0 and up to 1; default 0.7
 * @returns the rows of the source with `cluster`, the id of the first broadcast, and `first`, whether this row is that broadcast; null and
 * true for rows without an id
 * @example
 * const marked = await reairings(await archive.mentions("climate", { maxItems: 1000 }));
 * const once = marked.filter(pl.col("first"));
 */
export async function reairings(
  source: TextSource,
  options: { overlap?: number | undefined } = {},
): Promise<PolarsFrame> {
  const { overlap = 0.7 } = checkedOptions(options, ["overlap"], "option of reairings");
  if (!(typeof overlap === "number" && overlap > 0 && overlap <= 1)) {
    throw invalid("overlap", overlap, "Give a share above 0 and up to 1, for example overlap: 0.7.");
  }
  const frame = await collectFrame(source);
  requireColumns(frame, ["id", "begintime"]);
  const [ids, times] = [textsOf(frame, "id"), timesOf(frame)];
  const timeOf = (row: number) => times[row] ?? Number.POSITIVE_INFINITY;
  const rows = [...ids.keys()].filter((row) => ids[row] !== null);
  const order = rows.sort((a, b) => byCodeUnit(timeOf(a), timeOf(b)) || a - b);
  const first = firstBroadcasts(frame, order, overlap);
  const clusters = first.map((at) => ids[at] ?? null);
  const isFirst = first.map((at, row) => at === row);
  const marked = frame.withColumns(pl.Series("cluster", clusters, pl.Utf8), pl.Series("first", isFirst, pl.Bool));
  const share = `${Math.round(100 * overlap)} % or more of its sequences of five words`;
  const text = `marked where they repeat an earlier broadcast (${share}, within ${MAX_DAYS} days)`;
  return withStep(source, marked, "reairings", text);
}

/** The rows of a source, each speech once. */
export async function broadcastOnce(source: TextSource): Promise<PolarsFrame> {
  return (await reairings(await collectFrame(source))).filter(pl.col("first"));
}

/** Broadcasts of one speech. */
interface Cluster {
  readonly first: number;
  /** Null while all of its speakers are unidentified. */
  speaker: string | null;
}

interface Speech {
  /** Its index in the order of time. */
  readonly at: number;
  readonly cluster: Cluster;
  /** The weight of all its shingles. */
  readonly weight: number;
}

const SIZE = 5;
/** Shorter speeches are phrases that anyone may say. */
const MIN_WORDS = 8;
/** Shingles of fewer texts have the same weight: they may be errors in captions. */
const RARE = 10;
/** The weight of a shingle of one text. Whole numbers, so that sums do not depend on their order. */
const UNIT = 1_000_000;
/** Two speeches must share at least this weight: one common shingle proves little. */
const MIN_EVIDENCE = 0.22 * UNIT;
/** Speeches to remember per shingle, the latest ones: a shingle of more speeches is a formula ("I yield back the balance of my time"). */
const MAX_SPEECHES = 50;
/** A speech that is repeated later than this is not a re-airing. */
const MAX_DAYS = 366;
/**
 * The row of the first broadcast of every row; its own if it repeats none.
 *
 * In the order of time, each speech joins the cluster of the speech that it shares most shingles with, if that has the same speaker.
 * Shingles are sequences of five words (Broder 1997, "On the resemblance and containment of documents"), and the fewer texts have one, the
 * more it weighs. Takes time proportional to the number of shingles.
 *
 * @param order the rows to compare, in the order of time
 */
function firstBroadcasts(frame: PolarsFrame, order: readonly number[], overlap: number): readonly number[] {
  const [times, { spoken }] = [timesOf(frame), captionsOf(frame)];
  const speakers = columnCells(frame, "personid").map(speakerId);
  const shingles = spoken.map((text) => shinglesOf(text ?? ""));
  const weightOf = shingleWeights(new Map(order.map((row) => [spoken[row], shingles[row] as readonly string[]])));
  const speechesWith = new Map<string, Speech[]>();
  const first = spoken.map((_text, row) => row);
  for (const [at, row] of order.entries()) {
    const [ownShingles, speaker, time] = [
      shingles[row] as readonly string[],
      speakers[row] ?? null,
      times[row] ?? null,
    ];
    const mayJoin = (cluster: Cluster) =>
      (speaker === null || cluster.speaker === null || speaker === cluster.speaker) &&
      (time === null || time - (times[cluster.first] ?? Number.POSITIVE_INFINITY) <= MAX_DAYS * DAY);
    const sharedWeights = new Map<Speech, number>();
    for (const shingle of ownShingles)
      for (const speech of speechesWith.get(shingle) ?? [])
        sharedWeights.set(speech, (sharedWeights.get(speech) ?? 0) + weightOf(shingle));
    const weight = sum(ownShingles.map(weightOf));
    let best: (Pick<Speech, "at" | "cluster"> & { readonly share: number }) | undefined;
    for (const [speech, shared] of sharedWeights) {
      const share = shared / Math.min(weight, speech.weight);
      // Of several with equal shares, the earliest.
      const isBetter = best === undefined || share > best.share || (share === best.share && speech.at < best.at);
      if (shared >= MIN_EVIDENCE && share >= overlap && isBetter && mayJoin(speech.cluster))
        best = { ...speech, share };
    }
    const cluster = best?.cluster ?? { first: row, speaker };
    cluster.speaker ??= speaker;
    first[row] = cluster.first;
    const speech = { at, cluster, weight };
    for (const shingle of ownShingles) {
      const speeches = speechesWith.get(shingle) ?? [];
      if (speeches.push(speech) > MAX_SPEECHES) speeches.shift();
      speechesWith.set(shingle, speeches);
    }
  }
  return first;
}

/** None for short speeches. */
function shinglesOf(spoken: string): readonly string[] {
  const words = spokenTokens(spoken).filter((token) => token !== BREAK);
  if (words.length < MIN_WORDS) return [];
  return [...new Set(words.slice(SIZE - 1).map((_word, at) => words.slice(at, at + SIZE).join(" ")))];
}

/** The weight of a shingle falls with the number of different texts that have it. */
function shingleWeights(texts: ReadonlyMap<unknown, readonly string[]>): (shingle: string) => number {
  const counts = new Map<string, number>();
  for (const shingles of texts.values())
    for (const shingle of shingles) counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  return (shingle) => Math.round(UNIT / Math.max(RARE, counts.get(shingle) ?? 0));
}
