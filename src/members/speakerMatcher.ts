import { checkColumns, refuseColumns } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { bareName } from "../pages/metadata.js";
import type { Row } from "../service/operations/operations.js";
import { timeOf } from "../util/period.js";
import { type Legislator, type MemberChamber, type Officeholder, officeholderOn } from "./legislator.js";
import type { Legislators } from "./legislators.js";
import { MEMBER_COLUMNS } from "./members.js";
import { MemberNames, nameWords, personName, titleChambers } from "./names.js";
import { speakerId } from "./speakers.js";

export interface RowSpeaker {
  /** Null for an unidentified speaker. */
  readonly personid: number | null;
  readonly person: string | null;
  /** From a separate column. */
  readonly titles: string | null;
  /** `yyyy-mm-dd` in Washington; null if the row has none. */
  readonly day: string | null;
}

const REQUIRED_COLUMNS = ["personid", "person", "begintime"];

/**
 * The speaker and the day of every row of a frame.
 *
 * @throws ValidationError for a frame without the columns `personid`, `person` and `begintime`, or with a column that would be added
 */
export function rowSpeakers(frame: PolarsFrame): RowSpeaker[] {
  const { columns } = frame;
  checkColumns(columns, REQUIRED_COLUMNS, "archive.mentions(…) or archive.speechesOnBill(…) with these columns");
  refuseColumns(columns, MEMBER_COLUMNS);
  const titleColumn = titleColumnOf(columns);
  const [ids = [], names = [], times = []] = REQUIRED_COLUMNS.map((name) => rawValues(frame, name));
  const titles = titleColumn === undefined ? [] : rawValues(frame, titleColumn);
  return ids.map((id, row) => ({
    personid: personId(id),
    person: textOf(names[row]),
    titles: textOf(titles[row]),
    day: dayOf(times[row]),
  }));
}

/** The column with the titles of the speaker. A plain `title` is that of the program, except in speeches on a bill. */
function titleColumnOf(columns: readonly string[]): string | undefined {
  if (columns.includes("speaker_from") && columns.includes("title")) return "title";
  return columns.find((name) => bareName(name) === "persontitle");
}

function rawValues(frame: PolarsFrame, name: string): readonly unknown[] {
  const column = frame.getColumn(name);
  const { variant } = column.dtype;
  if (variant === "Datetime") return [...column.cast(pl.Datetime("ms")).cast(pl.Int64).toArray()];
  // Cast to text, because a Date would be moved to another time zone.
  return [...(variant === "Date" ? column.cast(pl.Utf8) : column).toArray()];
}

function personId(value: unknown): number | null {
  const id = Number(speakerId(value) ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function dayOf(value: unknown): string | null {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value))
    return Number.isNaN(Date.parse(value)) ? null : value;
  const time = typeof value === "string" ? timeOf(value) : value;
  return typeof time === "number" || typeof time === "bigint" ? dayInWashington(Number(time)) : null;
}

const HOUR = 3_600_000;
/** Writes days as `yyyy-mm-dd`. */
const WASHINGTON = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/New_York" });
/** Only days with a year of four digits compare as text. */
const [MIN_TIME, MAX_TIME] = [Date.parse("1000-01-02T00:00:00Z"), Date.parse("9999-01-01T00:00:00Z")];
/** By hour: Washington is a whole number of hours behind UTC. */
const days = new Map<number, string>();

/**
 * The day of a time in Washington, where an evening session may be on the next day in UTC.
 *
 * @param time milliseconds since 1970
 * @returns `yyyy-mm-dd`; null for a time that is not a number or of no year from 1000 to 9998
 */
function dayInWashington(time: number): string | null {
  if (!(time >= MIN_TIME && time < MAX_TIME)) return null;
  const hour = Math.floor(time / HOUR);
  const day = days.get(hour) ?? WASHINGTON.format(hour * HOUR);
  days.set(hour, day);
  return day;
}

/**
 * How a row was matched: by the id or the name of the speaker, or why not. "other name": the member with this id has another name.
 * "other id": the member with this name has another id. "ambiguous": several members of the day have the name. "not in office": the
 * member with this id was not in office on the day. "no day": the row has none.
 */
export type MatchOutcome =
  | "id"
  | "name"
  | "other name"
  | "other id"
  | "ambiguous"
  | "not in office"
  | "no member"
  | "no day";

/** The member who speaks in a row. */
export interface Match {
  readonly outcome: MatchOutcome;
  /** With outcome "id" or "name". */
  readonly officeholder?: Officeholder;
  /** The member whose name or id contradicts the row. */
  readonly contradictedMember?: Legislator;
}

/** The candidates for a speaker, regardless of the day. */
interface Candidates {
  /** Members with the id of the speaker. */
  readonly byId: readonly Legislator[];
  /** Those of them whose name may be that of the speaker. */
  readonly byIdAndName: readonly Legislator[];
  /** All members with the name of the speaker. */
  readonly byName: readonly Legislator[];
  /** The chambers that the titles of the speaker name; undefined without titles. */
  readonly chambers: ReadonlySet<MemberChamber> | undefined;
}

/** Speakers to cache, because a frame may have a different name in every row. */
const MAX_SPEAKERS = 50_000;

/** Finds the member who speaks in a row. */
class SpeakerMatcher {
  readonly #byId = new Map<number, Legislator[]>();
  /** By the last word of the family name. */
  readonly #byFamily = new Map<string, Set<Legislator>>();
  readonly #names: ReadonlyMap<Legislator, MemberNames>;
  readonly #speakers = new Map<string, Candidates>();

  constructor({ members }: Legislators) {
    this.#names = new Map(members.map((member) => [member, new MemberNames(member)]));
    for (const member of members) {
      const { personid } = member;
      if (personid !== null) this.#byId.set(personid, [...(this.#byId.get(personid) ?? []), member]);
      for (const name of [...member.names.family, member.name]) {
        const last = nameWords(name).words.at(-1);
        if (last !== undefined) this.#byFamily.set(last, (this.#byFamily.get(last) ?? new Set()).add(member));
      }
    }
  }

  match(speaker: RowSpeaker): Match {
    const { day } = speaker;
    if (day === null) return { outcome: "no day" };
    const candidates = this.#candidatesFor(speaker);
    return candidates.byId.length > 0 ? matchById(candidates, day) : matchByName(candidates, day, speaker);
  }

  /** The member who speaks in all rows, by id and name, and the chamber; undefined unless it is the same on the day of each row. */
  seatedMember(rows: readonly Row[]): Officeholder | undefined {
    const matches = rows.map(({ personid, person, begintime }) =>
      this.match({ personid: personId(personid), person: textOf(person), titles: null, day: dayOf(begintime) }),
    );
    const first = matches[0]?.officeholder;
    const isSame = (match: Match) => match.outcome === "id" && match.officeholder?.term.chamber === first?.term.chamber;
    return matches.every(isSame) ? first : undefined;
  }

  #candidatesFor({ personid, person, titles }: RowSpeaker): Candidates {
    const key = `${personid ?? ""}\n${person ?? ""}\n${titles ?? ""}`;
    const cached = this.#speakers.get(key);
    if (cached !== undefined) return cached;
    const name = personName(person ?? "");
    const family = this.#byFamily.get(name.words.at(-1) ?? "") ?? [];
    const byId = personid === null ? [] : (this.#byId.get(personid) ?? []);
    const candidates: Candidates = {
      byId,
      byIdAndName: name.words.length === 0 ? byId : byId.filter((member) => this.#names.get(member)?.resembles(name)),
      byName: [...family].filter((member) => this.#names.get(member)?.matches(name)),
      chambers: titleChambers([name.titles, titles ?? ""].filter(Boolean).join(", ")),
    };
    if (this.#speakers.size >= MAX_SPEAKERS) this.#speakers.clear();
    this.#speakers.set(key, candidates);
    return candidates;
  }
}

function matchById({ byId, byIdAndName, byName }: Candidates, day: string): Match {
  const [member, another] = byIdAndName;
  if (member === undefined) return { outcome: "other name", contradictedMember: byId[0] as Legislator };
  if (another !== undefined) return { outcome: "ambiguous" };
  // The family name agrees, but the full name is that of another member.
  const isOther = !byName.includes(member) && byName.some((each) => officeholderOn(each, day) !== undefined);
  if (isOther) return { outcome: "other name", contradictedMember: member };
  const officeholder = officeholderOn(member, day);
  return officeholder === undefined ? { outcome: "not in office" } : { outcome: "id", officeholder };
}

function matchByName({ byName, chambers }: Candidates, day: string, { personid }: RowSpeaker): Match {
  // With titles that name no chamber of Congress, the speaker is not a member.
  if (byName.length === 0 || chambers?.size === 0) return { outcome: "no member" };
  let officeholders = byName.flatMap((member) => officeholderOn(member, day) ?? []);
  if (officeholders.length === 0) return { outcome: "no member" };
  if (officeholders.length > 1 && chambers !== undefined)
    officeholders = officeholders.filter(({ term }) => chambers.has(term.chamber));
  const [officeholder, another] = officeholders;
  if (officeholder === undefined || another !== undefined) return { outcome: "ambiguous" };
  const { member } = officeholder;
  // Titles are those of today, so the chamber need not be that of the day, but it must be one of the member's.
  if (chambers !== undefined && !member.terms.some(({ chamber }) => chambers.has(chamber)))
    return { outcome: "no member" };
  if (personid !== null && member.personid !== null) return { outcome: "other id", contradictedMember: member };
  return { outcome: "name", officeholder };
}

const matchers = new WeakMap<Legislators, SpeakerMatcher>();

/** The matcher of some members. It is cached, because it takes a while to create. */
export function matcherOf(legislators: Legislators): SpeakerMatcher {
  const matcher = matchers.get(legislators) ?? new SpeakerMatcher(legislators);
  matchers.set(legislators, matcher);
  return matcher;
}
