import { parseTimestamp } from "../frames/cells.js";
import { type Engine, engines, type FrameTypes } from "../frames/engine.js";
import { irregularFrame } from "../frames/irregularFrame.js";
import { flagOf, TypeFlags } from "../frames/typeFlags.js";
import { operations } from "../service/operations/operations.js";
import type { MentionRow, Row } from "../service/operations/rows.js";
import type { NamedBill } from "./checkSpeeches.js";
import type { Speech } from "./mergeSpeeches.js";
import type { SpeakerStatus } from "./resolveSpeakers.js";
import { speakerKey } from "./speakers.js";

/** A speaker of one bill with the speeches, earliest first. */
export interface SpeakerOfBill {
  readonly standing: SpeakerStatus;
  readonly speeches: readonly Speech[];
}

/** A row of `archive.speechesOnBill`: the bill, the speaker, how the speech was found, and the mention itself. */
export type SpeechRow = {
  bill_title: string | null;
  bill_number: string | null;
  bill_congress: number | null;
  /** The name of the person record where there is one. */
  name: string | null;
  title: string | null;
  /** The type of video that was searched. */
  videotype: string;
  /** The queries that found the speech. */
  variants: string[];
  /** How many speeches of the frame this speaker has on this bill. */
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
  ["videotype", TypeFlags.string],
  ["variants", TypeFlags.list],
  ["speeches", TypeFlags.int],
  ...Object.entries(mention).map(([name, kind]): [string, number] => [name, flagOf(kind)]),
]);

/** The columns that every frame of speeches has, in their order. */
export const SPEECH_COLUMNS: readonly string[] = [...DECLARED.keys()];

/** Our columns whose names a mention might use for something of its own. */
const OURS = new Set(SPEECH_COLUMNS.filter((name) => name !== "personid" && !(name in mention)));

/** The speakers of a bill in the order of the specification: by number of speeches, then name; then by id. */
export function speakersOfBill(
  speeches: readonly Speech[],
  standings: ReadonlyMap<string, SpeakerStatus>,
): readonly SpeakerOfBill[] {
  const groups = new Map<string, Speech[]>();
  for (const speech of speeches) {
    const key = speakerKey(speech.row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [speech]);
    else group.push(speech);
  }
  const speakers = [...groups].map(([key, group]) => ({
    standing: standings.get(key) as SpeakerStatus,
    speeches: inTime(group),
  }));
  return speakers.sort(
    (a, b) =>
      b.speeches.length - a.speeches.length ||
      byCodePoints(a.standing.name ?? "", b.standing.name ?? "") ||
      byId(a.standing.speaker.personid, b.standing.speaker.personid),
  );
}

/** The rows of some speakers of a bill. */
export function speechRows(bill: NamedBill, speakers: readonly SpeakerOfBill[]): SpeechRow[] {
  return speakers.flatMap(({ standing, speeches }) =>
    speeches.map(({ row, videotype, variants }) => ({
      bill_title: bill.title,
      bill_number: bill.number,
      bill_congress: bill.congress,
      personid: (row.personid ?? null) as number | null,
      name: standing.name,
      title: standing.title,
      videotype,
      variants,
      speeches: speeches.length,
      ...withoutCollisions(row),
    })),
  );
}

/** The rows as a frame; without rows it has the same columns and dtypes. */
export function speechFrame(rows: readonly SpeechRow[], engine: Engine): FrameTypes[Engine] {
  return engines[engine].fromPolars(irregularFrame(DECLARED, rows));
}

/** A member that has the name of one of our columns keeps its value as `mention_<name>`, and one that is called so as `mention_mention_<name>`. */
function withoutCollisions(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      OURS.has(name.replace(/^(?:mention_)+/, "")) ? `mention_${name}` : name,
      value,
    ]),
  );
}

/** By begintime, then id. Speeches without a time come last, and those with neither stay in the order of the plan. */
function inTime(speeches: readonly Speech[]): Speech[] {
  const keyed = speeches.map((speech) => ({ speech, time: timeOf(speech.row) }));
  keyed.sort((a, b) => (a.time === b.time ? byId(a.speech.row.id, b.speech.row.id) : a.time - b.time));
  return keyed.map(({ speech }) => speech);
}

function timeOf({ begintime }: Row): number {
  // Finer than a column of moments holds, a time still has its place.
  const moment = typeof begintime === "string" ? parseTimestamp(begintime.replace(/(\.\d{6})\d+/, "$1")) : undefined;
  return moment === undefined ? Number.MAX_VALUE : Date.parse(moment);
}

/** Ids of digits as numbers, before other ids; null last. */
function byId(a: unknown, b: unknown): number {
  const [one, other] = [rank(a), rank(b)];
  const longer = one.kind === 0 ? one.text.length - other.text.length : 0;
  return one.kind - other.kind || longer || byCodePoints(one.text, other.text);
}

function rank(id: unknown): { kind: number; text: string } {
  if (id === null || id === undefined) return { kind: 2, text: "" };
  const text = String(id);
  return { kind: /^\d+$/.test(text) ? 0 : 1, text };
}

/** The order of UTF-8 is that of code points, which that of UTF-16 is not. */
function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
