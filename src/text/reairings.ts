import { checkedOptions, invalid, nonNegativeNumber } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { isUnidentified, speakerId } from "../members/speakerId.js";
import { spokenText } from "./captions.js";
import { firstBroadcasts, type Speech } from "./firstBroadcasts.js";
import { captionsOf, requireColumns, textsOf, timesOf, valuesOf } from "./source/columns.js";
import { collected, type FrameOf, likeSource, type TextSource } from "./source/textSource.js";

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
export async function reairings<S extends TextSource>(source: S, given: ReairingsOptions = {}): Promise<FrameOf<S>> {
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
  const found = firstBroadcasts(
    rows.map(
      (row): Speech => ({ spoken: spoken[row] ?? "", time: times[row] ?? null, speaker: speakers[row] ?? null }),
    ),
    overlap,
    days,
  );
  const first = ids.map((_id, row) => row);
  found.forEach((at, position) => {
    first[rows[position] as number] = rows[at] as number;
  });
  const clusters = first.map((at) => ids[at] ?? null);
  const isFirst = first.map((at, row) => at === row);
  const marked = whole.withColumns(pl.Series("cluster", clusters, pl.Utf8), pl.Series("first", isFirst, pl.Bool));
  return likeSource(source, marked, ["reairings", "columns", { overlap, days }]);
}

/** The rows of a source, each speech once. */
export async function broadcastOnce(source: TextSource): Promise<PolarsFrame> {
  return (await reairings(await collected(source))).filter(pl.col("first"));
}

/** A key for the speaker of each row: the id, without one the id that another row has with the name, otherwise the name. */
function speakerKeys(frame: PolarsFrame): readonly (string | null)[] {
  const personids = valuesOf(frame, "personid");
  const names = valuesOf(frame, "person").map(nameOf);
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
