import type { Format } from "../call/formats.js";
import { toCsv } from "../files/toCsv.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { irregularFrame } from "../frames/irregularRows.js";
import { flagOf, parseTimestamp, TypeFlags } from "../frames/typeFlags.js";
import { operations } from "../service/operations/operations.js";
import type { MentionRow, Row } from "../service/operations/rows.js";
import type { MatchedBy } from "./judge/judge.js";
import type { JudgedSpeech } from "./judgeSpeeches.js";
import type { BillName, SpeechesPlan } from "./planSpeeches.js";
import type { SpeakerStatus } from "./resolveSpeakers.js";
import { type SpeakerRole, type Speakers, speakerRole } from "./speakers.js";

/** A speaker and the speeches on one bill, earliest first. */
export interface BillSpeaker {
  readonly speaker: SpeakerStatus;
  readonly speeches: readonly JudgedSpeech[];
  /** Those without an id, which the name of the speaker has decided. */
  readonly inferred: ReadonlySet<JudgedSpeech>;
}

/**
 * A row of `archive.speechesOnBill`: the bill, the speaker, how the speech was found, and all columns of the mention.
 *
 * @example
 * const rows = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117, format: "records" });
 * rows[0]; //=> { bill_title: "Inflation Reduction Act", bill_number: null, bill_congress: 117, personid: 6197, … }
 */
export type SpeechRow = {
  /** The title that was searched for; null for a search by number. */
  bill_title: string | null;
  /** The number that was searched for, as it was given. */
  bill_number: string | null;
  /** The Congress of the bill, for example 117. */
  bill_congress: number | null;
  /** The name of the speaker: that of the person record, or that of the mention if there was no lookup. */
  name: string | null;
  /** The title of the speaker, for example "U.S. Senator". */
  title: string | null;
  /**
   * How the speaker was identified: "id"; "name" if the row has no id, but only one speaker of the call has the name; "title" if
   * there is no id, but a title behind the name; null for nobody in particular.
   */
  speaker_from: "id" | "name" | "title" | null;
  /** Presiding officers and clerks, who speak for the chamber; null for others. */
  role: SpeakerRole | null;
  /** The video type that was searched. */
  videotype: string;
  /** The queries that found the speech. */
  variants: string[];
  /**
   * What of the bill the text names: "title", "number", "both", "short title" or "acronym"; "continuation" if the passage beside
   * it does; "query" if a query of the caller alone found it; null for a row without text.
   */
  matched_by: MatchedBy | "continuation" | "query" | null;
  /** The words that name the bill, as they are in the text. */
  match_text: string | null;
  /** These words with those around them. */
  snippet: string | null;
  /** How certain it is that the text is about the bill, from 0 to 1; null if nothing could be compared. */
  confidence: number | null;
  /** Why it may be about something else: "another bill's number", "longer title", "another Congress". */
  conflicts: string[];
  /** The number of speeches by this speaker on this bill. */
  speeches: number;
} & MentionRow;

const { personid: id, ...mention } = operations.mentions.columns;

const DECLARED: ReadonlyMap<string, number> = new Map([
  ["bill_title", TypeFlags.string],
  ["bill_number", TypeFlags.string],
  ["bill_congress", TypeFlags.int],
  ["personid", flagOf(id)],
  ["name", TypeFlags.string],
  ["title", TypeFlags.string],
  ["speaker_from", TypeFlags.string],
  ["role", TypeFlags.string],
  ["videotype", TypeFlags.string],
  ["variants", TypeFlags.list],
  ["matched_by", TypeFlags.string],
  ["match_text", TypeFlags.string],
  ["snippet", TypeFlags.string],
  ["confidence", TypeFlags.float],
  ["conflicts", TypeFlags.list],
  ["speeches", TypeFlags.int],
  ...Object.entries(mention).map(([name, kind]): [string, number] => [name, flagOf(kind)]),
]);

/** The columns of every frame of speeches, in order. Undeclared members of mentions come after them. */
export const SPEECH_COLUMNS: readonly string[] = [...DECLARED.keys()];

/** Our columns whose names a mention might use for something else. */
const RESERVED = new Set(SPEECH_COLUMNS.filter((name) => name !== "personid" && !(name in mention)));

/** The speakers on a bill in the order of the specification: by number of speeches, then name; then by id. */
export function speakersByCount(
  speeches: readonly JudgedSpeech[],
  { keyOf, isInferred }: Speakers,
  statuses: ReadonlyMap<string, SpeakerStatus>,
): readonly BillSpeaker[] {
  const groups = new Map<string, JudgedSpeech[]>();
  for (const speech of speeches) {
    const key = keyOf(speech.row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [speech]);
    else group.push(speech);
  }
  const speakers = [...groups].map(([key, group]) => ({
    speaker: statuses.get(key) as SpeakerStatus,
    speeches: chronological(group),
    inferred: new Set(group.filter(({ row }) => isInferred(row))),
  }));
  return speakers.sort(
    (a, b) =>
      b.speeches.length - a.speeches.length ||
      byCodePoints(a.speaker.name ?? "", b.speaker.name ?? "") ||
      byId(a.speaker.personid, b.speaker.personid),
  );
}

/** The rows of some speakers on a bill. */
export function speechRows(bill: BillName, speakers: readonly BillSpeaker[]): SpeechRow[] {
  return speakers.flatMap(({ speaker, speeches, inferred }) =>
    speeches.map((speech) => {
      const { row, videotype, variants, judgement } = speech;
      const isInferred = inferred.has(speech);
      const speakerFrom = isInferred
        ? "name"
        : speaker.id !== undefined
          ? "id"
          : speaker.nameTitle === null
            ? null
            : "title";
      return {
        bill_title: bill.title,
        bill_number: bill.number,
        bill_congress: bill.congress,
        name: speaker.name,
        title: speaker.title,
        speaker_from: speakerFrom,
        role: speakerRole(row, speaker.title, speaker.id !== undefined),
        videotype,
        variants,
        matched_by: judgement.matchedBy,
        match_text: judgement.matchText,
        snippet: judgement.snippet,
        confidence: judgement.confidence,
        conflicts: [...judgement.conflicts],
        speeches: speeches.length,
        ...withoutCollisions(row),
        personid: ((isInferred ? speaker.personid : row.personid) ?? null) as number | null,
      };
    }),
  );
}

/** The rows as a frame. Without rows it has the same columns and dtypes. */
export function speechFrame(rows: readonly SpeechRow[], engine: Engine): FrameTypes[Engine] {
  return inEngine(irregularFrame(DECLARED, rows), engine);
}

/**
 * Prefixes members that have the name of one of our columns: `title` becomes `mention_title`, and so that this stays
 * unambiguous, `mention_title` becomes `mention_mention_title`.
 */
function withoutCollisions(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      RESERVED.has(name.replace(/^(?:mention_)+/, "")) ? `mention_${name}` : name,
      value,
    ]),
  );
}

/** By begintime, then id. Speeches without a time come last; those with neither stay in the order of the plan. */
function chronological(speeches: readonly JudgedSpeech[]): JudgedSpeech[] {
  const keyed = speeches.map((speech) => ({ speech, time: timeOf(speech.row) }));
  keyed.sort((a, b) => (a.time === b.time ? byId(a.speech.row.id, b.speech.row.id) : a.time - b.time));
  return keyed.map(({ speech }) => speech);
}

function timeOf({ begintime }: Row): number {
  // Columns hold microseconds; a finer time still has a place in the order.
  const timestamp = typeof begintime === "string" ? parseTimestamp(begintime.replace(/(\.\d{6})\d+/, "$1")) : undefined;
  return timestamp === undefined ? Number.MAX_VALUE : Date.parse(timestamp);
}

/** Numeric ids in numeric order, then other ids, null last. */
function byId(a: unknown, b: unknown): number {
  const [one, other] = [rank(a), rank(b)];
  const byLength = one.group === 0 ? one.text.length - other.text.length : 0;
  return one.group - other.group || byLength || byCodePoints(one.text, other.text);
}

function rank(id: unknown): { group: number; text: string } {
  if (id === null || id === undefined) return { group: 2, text: "" };
  const text = String(id);
  return { group: /^\d+$/.test(text) ? 0 : 1, text };
}

/** UTF-8 bytes sort by code point; UTF-16 units do not. */
function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The speeches on a bill by speaker, with `format: "json"`. Speakers with most speeches come first, then by name.
 *
 * @example
 * const { senators } = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117, format: "json" });
 * senators[0]; //=> { personid: 6197, name: "Emeka Lachance", title: "U.S. Senator", speeches: [{ id: "…", … }, …] }
 */
export interface SpeechesOnBill {
  /** The bill that was searched for. */
  bill: BillName;
  /** The video types that were searched. */
  videotypes: string[];
  /** The speakers of the chamber that was asked for: senators, unless `chamber` says otherwise. */
  senators: Array<{
    /** The id of the person; null if the rows have none. */
    personid: number | string | null;
    name: string | null;
    title: string | null;
    /** The rows of the speaker as the service sent them, earliest first. */
    speeches: MentionRow[];
  }>;
}

/**
 * What `archive.speechesOnBill` returns: it depends on `format` (default "dataframe") and, for a frame, on `engine`. A
 * list of bills gives a list of JSON objects.
 */
export type SpeechesResult<F extends Format, E extends Engine, IsList extends boolean = false> = F extends "dataframe"
  ? FrameTypes[E]
  : F extends "json"
    ? IsList extends true
      ? SpeechesOnBill[]
      : SpeechesOnBill
    : F extends "records"
      ? SpeechRow[]
      : string;

/** A bill and the speakers that are part of the result. */
export interface BillSpeeches {
  readonly bill: BillName;
  readonly speakers: readonly BillSpeaker[];
}

/** Brings the speeches into the format of the call. */
export function formatSpeeches(
  { format, engine, isList, videotypes }: SpeechesPlan,
  bills: readonly BillSpeeches[],
): unknown {
  if (format === "json") {
    const bodies = bills.map(
      ({ bill, speakers }): SpeechesOnBill => ({
        bill: { ...bill },
        videotypes: [...videotypes],
        senators: speakers.map(jsonSpeaker),
      }),
    );
    return isList ? bodies : bodies[0];
  }
  const rows = bills.flatMap(({ bill, speakers }) => speechRows(bill, speakers));
  if (format === "records") return rows;
  return format === "csv" ? toCsv(rows, { columns: SPEECH_COLUMNS }) : speechFrame(rows, engine);
}

function jsonSpeaker({ speaker: { personid, name, title }, speeches }: BillSpeaker) {
  return { personid: personid as number | string | null, name, title, speeches: speeches.map(({ row }) => row) };
}
