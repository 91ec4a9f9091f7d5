import { checkedOptions, invalid, nonNegativeNumber } from "../../errors/validators.js";
import { columnCells } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { isUnidentified, speakerId } from "../../members/speakerId.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { sum } from "../../util/sum.js";
import { spokenText } from "../read/captions.js";
import { captionsOf, requireColumns, textsOf, timesOf } from "../read/columns.js";
import { collected, type TextSource, withStep } from "../read/textSource.js";
import { BREAK, spokenTokens } from "../read/tokens.js";

/** Options of {@link reairings}. */
export interface ReairingsOptions {
  /** The share of the shorter text that must be in the longer one, above 0 and up to 1. Default 0.7. */
  overlap?: number | undefined;
  /** A repeat comes at most this many days after the first broadcast of its cluster. Default 366. */
  days?: number | undefined;
}

/**
 * Marks speeches that were broadcast several times, whole or as clips: mentions of the same speaker that share most of
 * their words in the same order. No row is dropped; `frame.filter(pl.col("first"))` keeps one broadcast of each.
 *
 * In the order of time, a mention repeats the earlier one that it shares most with, if at least `overlap` of the sequences of five words in the
 * shorter one are in the other, sequences that many different speeches share counting less. Any number of identical mentions are one
 * cluster. Speakers are compared by `personid`, without one by name; an unidentified speaker can repeat anyone. Mentions
 * with fewer than eight words, and those without an id, are never matched. All rows are held in memory.
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
export async function reairings(source: TextSource, given: ReairingsOptions = {}): Promise<PolarsFrame> {
  const { overlap = 0.7, days = 366 } = checkedOptions(given, ["overlap", "days"], "option of reairings");
  if (!(typeof overlap === "number" && overlap > 0 && overlap <= 1)) {
    throw invalid("overlap", overlap, "Give a share above 0 and up to 1, for example overlap: 0.7.");
  }
  nonNegativeNumber("days", days, 366, "days");
  const whole = await collected(source);
  requireColumns(whole, ["id", "begintime"]);
  const [ids, times, speakers] = [textsOf(whole, "id"), timesOf(whole), speakerKeys(whole)];
  const { spoken } = captionsOf(whole);
  const rows = ids.flatMap((id, row) => (id === null ? [] : [row]));
  const speeches = rows.map((row): Speech => {
    return { spoken: spoken[row] ?? "", time: times[row] ?? null, speaker: speakers[row] ?? null };
  });
  const first = ids.map((_id, row) => row);
  firstBroadcasts(speeches, overlap, days).forEach((at, position) => {
    first[rows[position] as number] = rows[at] as number;
  });
  const clusters = first.map((at) => ids[at] ?? null);
  const isFirst = first.map((at, row) => at === row);
  const marked = whole.withColumns(pl.Series("cluster", clusters, pl.Utf8), pl.Series("first", isFirst, pl.Bool));
  const share = `${Math.round(100 * overlap)} % or more of its sequences of five words`;
  const text = `marked where they repeat an earlier broadcast (${share}, within ${days} days)`;
  return withStep(source, marked, "reairings", text);
}

/** The rows of a source, each speech once. */
export async function broadcastOnce(source: TextSource): Promise<PolarsFrame> {
  return (await reairings(await collected(source))).filter(pl.col("first"));
}

/** A key for the speaker of each row: the id, without one the id that another row has with the name, otherwise the name. */
function speakerKeys(frame: PolarsFrame): readonly (string | null)[] {
  const personids = columnCells(frame, "personid");
  const names = columnCells(frame, "person").map(nameOf);
  const idOf = new Map<string | null, string>();
  personids.forEach((personid, row) => {
    const [id, name] = [speakerId(personid), names[row] ?? null];
    if (id !== null && name !== null && !idOf.has(name)) idOf.set(name, id);
  });
  return personids.map((personid, row) => {
    const name = names[row] ?? null;
    return speakerId(personid) ?? idOf.get(name) ?? (isUnidentified(personid) ? null : name);
  });
}

/** A name without titles, initials and capitals; null for what is no name. */
function nameOf(person: unknown): string | null {
  if (typeof person !== "string") return null;
  const name = spokenText(person.split(",")[0] as string)
    .replace(/(?<![a-z])[a-z]\. /g, "")
    .trim();
  return name === "" ? null : name;
}

interface Speech {
  readonly spoken: string;
  /** Milliseconds since 1970; null if unknown, which is later than any time. */
  readonly time: number | null;
  /** Null for unidentified speakers. */
  readonly speaker: string | null;
}

interface Cluster {
  readonly first: number;
  /** Null while all of its speakers are unidentified. */
  speaker: string | null;
}

const SIZE = 5;
/** Shorter speeches are phrases that anyone may say. */
const MIN_WORDS = 8;
/** A shingle of more different speeches is a formula ("I yield back the balance of my time") and counts nothing. */
const MAX_SPEECHES = 200;
/** The weight of a shingle of one speech. Whole numbers, so that sums do not depend on their order. */
const UNIT = 1_000_000;
/** The least common weight: one shingle of five speeches proves little. */
const MIN_EVIDENCE = 0.22 * UNIT;
/** A shingle of fewer speeches counts no more: it may be one that is often repeated, or an error in a caption. */
const RARE = 10;
const DAY = 86_400_000;

/**
 * The index of the first broadcast of every speech; its own index if it repeats none.
 *
 * In the order of time, a speech joins the cluster with the speech that it has most in common with, if the first broadcast of the
 * cluster is at most `days` earlier and nobody else speaks in it. What speeches have in common is the share of their shingles, sequences of
 * five words (Broder 1997, "On the resemblance and containment of documents"), weighted by how few different speeches have them.
 * Identical speeches count once, so their number does not matter. Time is proportional to the shingles, because each leads to 200 speeches at most.
 */
function firstBroadcasts(speeches: readonly Speech[], overlap: number, days: number): readonly number[] {
  const { textOf, shingles } = differentTexts(speeches);
  const resembling = resemblances(shingles, overlap);
  const clustersOf: Cluster[][] = shingles.map(() => []);
  const first = speeches.map((_speech, at) => at);
  const timeOf = (at: number) => speeches[at]?.time ?? Number.POSITIVE_INFINITY;
  const order = speeches.map((_speech, at) => at).sort((a, b) => byCodeUnit(timeOf(a), timeOf(b)) || a - b);
  const rank = new Map(order.map((at, position) => [at, position]));
  for (const at of order) {
    const text = textOf[at];
    if (text === undefined) continue;
    const { time, speaker } = speeches[at] as Speech;
    const mayRepeat = (cluster: Cluster) =>
      (speaker === null || cluster.speaker === null || speaker === cluster.speaker) &&
      (time === null || time - timeOf(cluster.first) <= days * DAY);
    let best: { readonly cluster: Cluster; readonly share: number } | undefined;
    for (const { text: other, share } of resembling(text)) {
      for (const cluster of (clustersOf[other] as Cluster[]).filter(mayRepeat)) {
        const isEarlier = best === undefined || (rank.get(cluster.first) ?? 0) < (rank.get(best.cluster.first) ?? 0);
        if (best === undefined || share > best.share || (share === best.share && isEarlier)) best = { cluster, share };
      }
    }
    const cluster = best?.cluster ?? { first: at, speaker };
    cluster.speaker ??= speaker;
    first[at] = cluster.first;
    const ofText = clustersOf[text] as Cluster[];
    if (!ofText.includes(cluster)) ofText.push(cluster);
  }
  return first;
}

/** The shingles of each different text, and the text of each speech; none for short speeches. */
function differentTexts(speeches: readonly Speech[]) {
  const texts = new Map<string, number>();
  const shingles: (readonly string[])[] = [];
  const textOf = speeches.map(({ spoken }) => {
    const words = spokenTokens(spoken).filter((token) => token !== BREAK);
    if (words.length < MIN_WORDS) return undefined;
    const key = words.join(" ");
    const known = texts.get(key);
    if (known !== undefined) return known;
    const found = new Set<string>();
    for (let end = SIZE; end <= words.length; end++) found.add(words.slice(end - SIZE, end).join(" "));
    texts.set(key, shingles.length);
    return shingles.push([...found]) - 1;
  });
  return { textOf, shingles };
}

/** A text that shares enough with another one, and the share of the shorter of them that is in the longer one. */
interface Resemblance {
  readonly text: number;
  readonly share: number;
}

/** The texts that share enough with a text, itself first. */
function resemblances(
  shingles: readonly (readonly string[])[],
  overlap: number,
): (text: number) => readonly Resemblance[] {
  const textsWith = new Map<string, number[]>();
  shingles.forEach((all, text) => {
    for (const shingle of all) {
      const texts = textsWith.get(shingle);
      if (texts === undefined) textsWith.set(shingle, [text]);
      else texts.push(text);
    }
  });
  // Rare shingles say more.
  const weightOf = (shingle: string) =>
    Math.round(UNIT / Math.max(RARE, (textsWith.get(shingle) as readonly number[]).length));
  const totals = shingles.map((all) => sum(all.map(weightOf)));
  const othersLike = (text: number): Resemblance[] => {
    const common = new Map<number, number>();
    for (const shingle of shingles[text] as readonly string[]) {
      const weight = weightOf(shingle);
      if (weight < UNIT / MAX_SPEECHES) continue;
      for (const other of textsWith.get(shingle) as readonly number[])
        if (other !== text) common.set(other, (common.get(other) ?? 0) + weight);
    }
    return [...common].flatMap(([other, weight]) => {
      const share = weight / Math.min(totals[text] as number, totals[other] as number);
      return weight >= MIN_EVIDENCE && share >= overlap ? [{ text: other, share }] : [];
    });
  };
  const known: (readonly Resemblance[])[] = [];
  return (text) => {
    known[text] ??= [{ text, share: 1 }, ...othersLike(text)];
    return known[text];
  };
}
