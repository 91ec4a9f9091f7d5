import type * as operations from "../../service/operations/rows.js";
import { isoSeconds } from "./calendar.js";
import { type Captions, captionText } from "./captions.js";
import type { Decoy } from "./decoys.js";
import type { Naming } from "./naming.js";
import type { FullRow, PersonRow } from "./people.js";
import type { Program } from "./programs.js";

/** Who speaks in a mention: in its row, and in truth. */
export interface MentionSpeaker {
  /** The name as the row has it, sometimes followed by titles. */
  person: string;
  /** As the row has it: `UNIDENTIFIED_SPEAKER`, or absent, for some. */
  personid: number | undefined;
  /** Who it was; undefined for callers. */
  truly: PersonRow | undefined;
  /** The speaker is in the chair. */
  presiding: boolean;
}

/** A generated mention. mentionRow() makes its row on demand. */
export interface Mention extends MentionSpeaker {
  id: number;
  /** Seconds since 1970. */
  begin: number;
  /** Seconds. */
  length: number;
  program: Program;
  videoTypeId: number;
  captions: Captions;
  /** The bills that it names; undefined for none. */
  names: readonly Naming[] | undefined;
  /** The bill that it seems to name. */
  decoy: Decoy | undefined;
  /** The earlier mention that it repeats; undefined for a first broadcast. */
  repeats: Mention | undefined;
}

/** A row of GET /mentions. `personid` is 999999 for an unidentified speaker, and absent in some rows. */
export type MentionRow = Omit<FullRow<operations.MentionRow>, "personid"> & { personid?: number };

/** The row of a mention, with members in the order of the live service; some rows lack `personid`. */
export function mentionRow(mention: Mention): MentionRow {
  const { program, person, personid } = mention;
  return {
    begintime: isoSeconds(mention.begin),
    id: String(mention.id),
    link: `https://archive.example/video/?c${mention.id}`,
    person,
    programPublicId: program.publicId,
    programTitle: program.row.title,
    text: captionText(mention.captions),
    length: mention.length,
    ...(personid === undefined ? {} : { personid }),
    programid: program.row.id,
    videoTypeId: mention.videoTypeId,
  };
}
