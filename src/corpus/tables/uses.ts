import { byCodeUnit } from "../../util/byCodeUnit.js";
import { groupBy } from "../../util/groupBy.js";
import { addDays } from "../definition/days.js";
import type { Compacted, CompactedMonth } from "../raw/compacted.js";
import { type Landing, partitionOf, type RawFile } from "../raw/landing.js";

/** A round, and the time of the last response of a landing. */
export type Place = readonly [round: number, at: number];

/** A file of rows, as one landing or several after one another had it. */
export interface Use extends RawFile {
  readonly partition: string;
  readonly search: string;
  /** The name of the window. */
  readonly window: string;
  /** First and last day that were asked. */
  readonly mindate: string | null;
  readonly maxdate: string | null;
  /** The landings that had it, in order. */
  readonly seen: readonly Place[];
  /** Its place among all, by the first and by the last of these landings. */
  readonly order: number;
  readonly end: number;
  /** Whether the window had it when it landed last. */
  readonly isCurrent: boolean;
  /** What of its rows is still needed is in this file instead. */
  readonly compacted: CompactedMonth | undefined;
  /** The first later round that asked for all of its days in this month, and did not find these rows. */
  readonly gone: number | null;
  /** Days near this month that earlier rounds asked for: what they did not find is gone as well. */
  readonly covers: ReadonlyArray<readonly [mindate: string | null, maxdate: string | null, round: number]>;
}

/** The same rows may come back in a later round: a use of their own. */
export function useKey({ seen, path }: Pick<Use, "seen" | "path">): string {
  return `${seen[0]?.[0]} ${path}`;
}

export function inTime([round, at]: Place, [otherRound, otherAt]: Place): number {
  return round - otherRound || at - otherAt;
}

/** The files to read for the rows of uses. */
export function filesOfUses(uses: readonly Use[]): RawFile[] {
  return [...new Map(uses.map((use) => use.compacted ?? use).map((file) => [file.path, file])).values()];
}

/** The last use that has another text of a mention than the present one, and the first that has the present one after it. */
export function changeOf(now: readonly Use[], other: readonly Use[]) {
  const before = other.reduce((a, b) => (a.end > b.end ? a : b));
  const last = before.seen.at(-1) as Place;
  const since = now.flatMap((use) =>
    use.seen.filter((place) => inTime(place, last) > 0).map((place) => ({ use, place })),
  );
  return { before, since: since.reduce((a, b) => (inTime(a.place, b.place) < 0 ? a : b)) };
}

type OpenUse = Omit<Use, "order" | "end" | "isCurrent" | "gone" | "covers" | "compacted"> & {
  seen: Place[];
  landing: Landing;
};

/**
 * The files of all landings, as these had them, in the order of their first landing.
 *
 * @param openRound a round that is not complete: nothing has vanished because of it
 */
export function usesOf(landings: readonly Landing[], openRound: number, compacted: Compacted = {}): Use[] {
  const isLater = overlapping(landings);
  const uses: OpenUse[] = [];
  const current = new Map<string, Map<string, OpenUse>>();
  const compactedOf = (use: Pick<Use, "seen" | "path" | "partition">) => {
    const month = compacted[use.partition];
    return month?.uses[useKey(use)] === undefined ? undefined : month;
  };
  for (const landing of landings) {
    const { search, name: window, mindate, maxdate, round, last } = landing;
    const before = current.get(landing.window);
    const now = new Map<string, OpenUse>();
    for (const file of landing.files) {
      // The same rows as in the landing before. Not all of them are left if they have been compacted since.
      let use = before?.get(file.path);
      if (use === undefined || round > (compactedOf(use)?.uses[useKey(use)] ?? round)) {
        use = { ...file, partition: partitionOf(file), search, window, mindate, maxdate, seen: [], landing };
        uses.push(use);
      }
      use.seen.push([round, Date.parse(last)]);
      use.landing = landing;
      now.set(file.path, use);
    }
    current.set(landing.window, now);
  }
  const isCurrent = new Set([...current.values()].flatMap((files) => [...files.values()]));
  const sorted = (at: 0 | -1) =>
    [...uses].sort((a, b) => inTime(a.seen.at(at) as Place, b.seen.at(at) as Place) || byCodeUnit(a.path, b.path));
  const ends = new Map(sorted(-1).map((use, end) => [use, end]));
  return sorted(0).map((use, order) => {
    const { landing, ...rest } = use;
    const later = isLater(landing).filter(({ round }) => round !== openRound);
    const places = { order, end: ends.get(use) as number, isCurrent: isCurrent.has(use) };
    return { ...rest, ...places, compacted: compactedOf(use), ...goneOf(daysOf(use), later) };
  });
}

/** Gives the later landings of the same search that asked for a day of a landing. */
function overlapping(landings: readonly Landing[]): (landing: Landing) => readonly Landing[] {
  const byWindow = groupBy(landings, ({ window }) => window);
  const neighbors = new Map<string, Landing[]>([...byWindow].map(([window, own]) => [window, [...own]]));
  for (const ofSearch of groupBy(landings, ({ search }) => search).values()) {
    // One of each window, by first day: those that are open when another begins overlap with it.
    const spans = [...new Map(ofSearch.map((landing) => [landing.window, landing])).values()];
    let open: Landing[] = [];
    for (const span of spans.sort((a, b) => byCodeUnit(firstOf(a), firstOf(b)))) {
      open = open.filter((one) => lastOf(one) >= firstOf(span));
      for (const one of open) {
        neighbors.get(one.window)?.push(...(byWindow.get(span.window) ?? []));
        neighbors.get(span.window)?.push(...(byWindow.get(one.window) ?? []));
      }
      open.push(span);
    }
  }
  return ({ window, round }) => (neighbors.get(window) ?? []).filter((other) => other.round > round);
}

const firstOf = ({ mindate }: Pick<Landing, "mindate">) => mindate ?? "0000-01-01";
const lastOf = ({ maxdate }: Pick<Landing, "maxdate">) => maxdate ?? "9999-12-31";

type Days = Pick<Landing, "mindate" | "maxdate">;

/**
 * The days of a window that a later landing must have asked for, so that rows of a month are gone: those of the month and, as the service may
 * count days in another time zone, their neighbors. What was asked of other months does not matter.
 */
function daysOf({ partition, mindate, maxdate }: Pick<Use, "partition" | "mindate" | "maxdate">): Days {
  const [, year, month] = /^year=([1-9]\d{3})\/month=(\d\d)$/.exec(partition) ?? [];
  if (year === undefined) return { mindate, maxdate };
  const clamped = (day: string) => {
    const [first, last] = [firstOf({ mindate }), lastOf({ maxdate })];
    return day < first ? first : day > last ? last : day;
  };
  const next = new Date(Date.UTC(Number(year), Number(month), 1)).toISOString().slice(0, 10);
  return { mindate: clamped(addDays(`${year}-${month}-01`, -1)), maxdate: clamped(next) };
}

/** Since when the rows of some days are gone, unless they were found again. */
function goneOf(days: Days, later: readonly Landing[]): Pick<Use, "gone" | "covers"> {
  const near = later.filter((span) => firstOf(span) <= lastOf(days) && lastOf(span) >= firstOf(days));
  const rounds = [...groupBy(near, ({ round }) => round)].sort(([a], [b]) => a - b);
  const gone = rounds.find(([, spans]) => covers(spans, days))?.[0] ?? null;
  const parts = rounds.filter(([round]) => gone === null || round < gone);
  return {
    gone,
    covers: parts.flatMap(([round, spans]) => spans.map(({ mindate, maxdate }) => [mindate, maxdate, round] as const)),
  };
}

/** Whether spans of days have every day of another. */
function covers(spans: readonly Days[], whole: Days): boolean {
  let from = firstOf(whole);
  for (const span of [...spans].sort((a, b) => byCodeUnit(firstOf(a), firstOf(b)))) {
    if (firstOf(span) > from) return false;
    if (lastOf(span) >= lastOf(whole)) return true;
    if (lastOf(span) >= from) from = addDays(lastOf(span), 1);
  }
  return false;
}

/** The first round after which a row of this day is gone: the service may count days in another time zone, so its neighbors were asked, too. */
export function goneOn({ gone, covers, mindate, maxdate }: Use, day: number | null): number | null {
  if (day === null || covers.length === 0) return gone;
  const first = dayNumber(mindate) ?? Number.NEGATIVE_INFINITY;
  const last = dayNumber(maxdate) ?? Number.POSITIVE_INFINITY;
  const near = [day - 1, day, day + 1].map((one) => Math.min(last, Math.max(first, one)));
  const rounds = near.map((one) => {
    const asked = covers.filter(([from, to]) => (dayNumber(from) ?? one) <= one && one <= (dayNumber(to) ?? one));
    return Math.min(gone ?? Number.POSITIVE_INFINITY, ...asked.map(([, , round]) => round));
  });
  const all = Math.max(...rounds);
  return Number.isFinite(all) ? all : null;
}

export function dayNumber(day: string | null | undefined): number | null {
  return day === null || day === undefined ? null : Math.round(Date.parse(day) / 86_400_000);
}
