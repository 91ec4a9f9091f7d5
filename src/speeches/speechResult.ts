import type { Format } from "../call/formats.js";
import { toCsv } from "../files/toCsv.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import type { MentionRow } from "../service/operations/rows.js";
import type { NamedBill, SpeechPlan } from "./checkSpeeches.js";
import { SPEECH_COLUMNS, type SpeakerOfBill, type SpeechRow, speechFrame, speechRows } from "./speechRows.js";

/** A speaker with the speeches on a bill, as the service sent them, earliest first. */
export interface Senator {
  personid: number | string | null;
  name: string | null;
  title: string | null;
  speeches: MentionRow[];
}

/** The speeches on a bill, by speaker: most speeches first, then by name. */
export interface SpeechesOnBill {
  bill: NamedBill;
  videotypes: string[];
  /** The speakers that were kept; with another `chamber` those of that one. */
  senators: Senator[];
}

/**
 * The result of `archive.speechesOnBill`: by `format` (default "dataframe"), and by `engine` where it is a frame. For a
 * list of bills, json is a list too.
 */
export type SpeechesResult<F extends Format, E extends Engine, Many extends boolean = false> = F extends "dataframe"
  ? FrameTypes[E]
  : F extends "json"
    ? Many extends true
      ? SpeechesOnBill[]
      : SpeechesOnBill
    : F extends "records"
      ? SpeechRow[]
      : string;

/** A bill and the speakers whose speeches are in the result. */
export interface BillSpeakers {
  readonly bill: NamedBill;
  readonly speakers: readonly SpeakerOfBill[];
}

/** The result in the form that the call wants. */
export function speechResult(
  { format, engine, many, videotypes }: SpeechPlan,
  bills: readonly BillSpeakers[],
): unknown {
  if (format === "json") {
    const bodies = bills.map(({ bill, speakers }) => ({
      bill: { ...bill },
      videotypes: [...videotypes],
      senators: speakers.map(senator),
    }));
    return many ? bodies : bodies[0];
  }
  const rows = bills.flatMap(({ bill, speakers }) => speechRows(bill, speakers));
  if (format === "records") return rows;
  return format === "csv" ? toCsv(rows, { columns: SPEECH_COLUMNS }) : speechFrame(rows, engine);
}

function senator({ standing, speeches }: SpeakerOfBill): Senator {
  const { speaker, name, title } = standing;
  return {
    personid: speaker.personid as Senator["personid"],
    name,
    title,
    speeches: speeches.map(({ row }) => row as MentionRow),
  };
}
