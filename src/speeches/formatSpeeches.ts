import type { Format } from "../call/formats.js";
import { toCsv } from "../files/toCsv.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import type { MentionRow } from "../service/operations/rows.js";
import type { BillName, SpeechesPlan } from "./planSpeeches.js";
import { type BillSpeaker, SPEECH_COLUMNS, type SpeechRow, speechFrame, speechRows } from "./speechRows.js";

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
