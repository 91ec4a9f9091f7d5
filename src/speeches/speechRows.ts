import type { Format } from "../call/callOptions.js";
import { toCsv } from "../files/saveFrame.js";
import { flagOf, TypeFlags } from "../frames/dtypes.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { frameOfRows } from "../frames/irregularRows.js";
import type { Speakers } from "../members/speakers.js";
import { type MentionRow, operations, type Row } from "../service/operations/operations.js";
import { byCodeUnit, groupBy } from "../util/lists.js";
import { timeOf } from "../util/period.js";
import type { MatchedBy } from "./judge/judge.js";
import type { JudgedSpeech } from "./judgeSpeeches.js";
import type { BillName, SpeechesPlan } from "./planSpeeches.js";
import type { SpeakerStatus } from "./resolveSpeakers.js";

/** A speaker and the speeches on one bill, earliest first. */
export interface BillSpeaker {
  readonly speaker: SpeakerStatus;
  readonly speeches: readonly JudgedSpeech[];
  /** Those without an id, attributed by the name of the speaker. */
  readonly inferred: ReadonlySet<JudgedSpeech>;
}

/**
 * A row of `archive.speechesOnBill`: these columns, and those of `archive.mentions`.
 *
 * @example
 * const rows = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117, format: "records" });
 * rows[0]; //=> { bill_title: "Inflation Reduction Act", bill_number: null, bill_congress: 117, personid: 6197, … }
 */
export type SpeechRow = {
  /** The title that was searched for; null for a search by number. */
  bill_title: string | null;
  /** The number that was searched for, as given. */
  bill_number: string | null;
  /** The Congress of the bill. */
  bill_congress: number | null;
  /** The name in the person record, or in the mention if there was no lookup. */
  name: string | null;
  /** The title of the speaker: "U.S. Senator". */
  title: string | null;
  /**
   * How the speaker was identified: by "id"; by "name" if only one speaker of the call has it; by a "title" behind the name; null if nobody
   * was.
   */
  speaker_from: "id" | "name" | "title" | null;
  /** The video type that was searched. */
  videotype: string;
  /** The queries that found the speech. */
  variants: string[];
  /** What the text names: "title", "number", "both" or "short title"; "query" if a query of yours alone found it; null without text. */
  matched_by: MatchedBy | "query" | null;
  /** The words of the text that name the bill. */
  match_text: string | null;
  /** These words with those around them. */
  snippet: string | null;
  /** How certain it is that the text is about the bill, from 0 to 1; null if nothing could be compared. */
  confidence: number | null;
  /** Why it may be about something else: "another bill's number", "longer title", "another Congress". */
  conflicts: string[];
  /** Speeches by this speaker on this bill. */
  speeches: number;
} & MentionRow;

const { personid: id, ...mention } = operations.mentions.columns;
const { string, int, float, list } = TypeFlags;

/** The columns of every frame of speeches, in order. Undeclared members of mentions come after them. */
const DECLARED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    bill_title: string,
    bill_number: string,
    bill_congress: int,
    personid: flagOf(id),
    name: string,
    title: string,
    speaker_from: string,
    videotype: string,
    variants: list,
    matched_by: string,
    match_text: string,
    snippet: string,
    confidence: float,
    conflicts: list,
    speeches: int,
    ...Object.fromEntries(Object.entries(mention).map(([name, kind]) => [name, flagOf(kind)])),
  }),
);

/** Columns whose names a mention might use for something else. */
const RESERVED = new Set([...DECLARED.keys()].filter((name) => name !== "personid" && !(name in mention)));

/** The speakers on a bill in the order of the specification: by number of speeches, then name; then by id. */
export function speakersByCount(
  speeches: readonly JudgedSpeech[],
  { keyOf, isInferred }: Speakers,
  statuses: ReadonlyMap<string, SpeakerStatus>,
): readonly BillSpeaker[] {
  const groups = groupBy(speeches, ({ row }) => keyOf(row));
  const speakers = [...groups].map(([key, group]) => ({
    speaker: statuses.get(key) as SpeakerStatus,
    speeches: chronological(group),
    inferred: new Set(group.filter(({ row }) => isInferred(row))),
  }));
  return speakers.sort(
    ({ speaker: a, speeches: ofA }, { speaker: b, speeches: ofB }) =>
      ofB.length - ofA.length || byCodeUnit(a.name ?? "", b.name ?? "") || byId(a.personid, b.personid),
  );
}

function speechRows({ bill, speakers }: BillSpeeches): SpeechRow[] {
  return speakers.flatMap(({ speaker, speeches, inferred }) =>
    speeches.map((speech): SpeechRow => {
      const { row, videotype, variants, judgement } = speech;
      const isInferred = inferred.has(speech);
      const byTitle = speaker.nameTitle === null ? null : "title";
      return {
        bill_title: bill.title,
        bill_number: bill.number,
        bill_congress: bill.congress,
        name: speaker.name,
        title: speaker.title,
        speaker_from: isInferred ? "name" : speaker.id === undefined ? byTitle : "id",
        videotype,
        variants: [...variants],
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

/**
 * Prefixes members that have the name of one of our columns: `title` becomes `mention_title`, and `mention_title` becomes
 * `mention_mention_title`, so that no two collide.
 */
function withoutCollisions(row: Row): Row {
  const isReserved = (name: string) => RESERVED.has(name.replace(/^(?:mention_)+/, ""));
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [isReserved(name) ? `mention_${name}` : name, value]),
  );
}

/** By begintime, then id. Speeches without a time come last; those with neither stay in the order of the plan. */
function chronological(speeches: readonly JudgedSpeech[]): JudgedSpeech[] {
  const timed = speeches.map((speech) => ({ speech, time: timeOf(String(speech.row.begintime)) ?? Number.MAX_VALUE }));
  timed.sort((a, b) => Math.sign(a.time - b.time) || byId(a.speech.row.id, b.speech.row.id));
  return timed.map(({ speech }) => speech);
}

/** Numeric ids in numeric order, then other ids, null last. */
function byId(a: unknown, b: unknown): number {
  const [one = "", other = ""] = [a, b].map((id) => ((id ?? "") === "" ? "\uffff" : String(id).padStart(20, "0")));
  return byCodeUnit(one, other);
}

/**
 * The speeches on a bill by speaker, with `format: "json"`.
 *
 * @example
 * const { senators } = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117, format: "json" });
 * senators[0]; //=> { personid: 6197, name: "Emeka Lachance", title: "U.S. Senator", speeches: [{ id: "…", … }, …] }
 */
export interface SpeechesOnBill {
  /** The bill. */
  bill: BillName;
  /** The video types that were searched. */
  videotypes: string[];
  /** The speakers of the chamber: senators, unless `chamber` says otherwise. */
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

export interface BillSpeeches {
  readonly bill: BillName;
  readonly speakers: readonly BillSpeaker[];
}

export function formatSpeeches(
  { format, engine, isList, videotypes }: SpeechesPlan,
  bills: readonly BillSpeeches[],
): object {
  if (format === "json") {
    const bodies = bills.map(
      ({ bill, speakers }): SpeechesOnBill => ({
        bill: { ...bill },
        videotypes: [...videotypes],
        senators: speakers.map(({ speaker: { personid, name, title }, speeches }) => ({
          personid: personid as number | string | null,
          name,
          title,
          speeches: speeches.map(({ row }) => row),
        })),
      }),
    );
    return isList ? bodies : (bodies[0] as SpeechesOnBill);
  }
  const rows = bills.flatMap(speechRows);
  if (format === "records") return rows;
  if (format === "csv") return toCsv(rows, { columns: [...DECLARED.keys()] }) as never;
  return inEngine(frameOfRows(DECLARED, rows), engine);
}
