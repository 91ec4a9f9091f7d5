import { checkColumns } from "../errors/validators.js";
import { checkFrame } from "../frames/checkFrame.js";
import { frameRecords, inEngine } from "../frames/engine.js";
import { irregularFrame } from "../frames/irregularRows.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { TypeFlags } from "../frames/typeFlags.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { sum } from "../util/sum.js";
import { speakerId } from "./speakerId.js";

const NEEDED = ["personid", "person", "length", "begintime"];

const COUNTED = new Map<string, number>(
  Object.entries({
    personid: TypeFlags.int,
    person: TypeFlags.string,
    passages: TypeFlags.int,
    seconds: TypeFlags.int,
    first: TypeFlags.datetime,
    last: TypeFlags.datetime,
    left_out: TypeFlags.int,
  }),
);

type Timestamp = Date | string;

interface Count {
  readonly personid: unknown;
  readonly names: string[];
  passages: number;
  seconds: number;
  first: Timestamp | null;
  last: Timestamp | null;
}

/**
 * Counts the passages of each speaker: one row per `personid`, most passages first, with the number of passages, their seconds, and
 * the first and last date. The service spells the name of one person in several ways, so `person` is the spelling that the frame
 * has most often. Passages without an id are left out, and so are unidentified speakers, who share the id 999999. `left_out` says how
 * many rows these are, on every row.
 *
 * @param frame a frame of mentions; filter it first to count a part of it
 * @returns a frame of the same library with the columns `personid`, `person`, `passages`, `seconds`, `first`, `last`, `left_out`
 * @throws ValidationError for a frame without the columns `personid`, `person`, `length` and `begintime`
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 1000 });
 * countSpeakers(frame).columns; //=> ["personid", "person", "passages", "seconds", "first", "last", "left_out"]
 */
export function countSpeakers<F extends PolarsFrame | DanfoFrame>(frame: F): F {
  const engine = checkFrame(frame, "frame", "a frame of archive.mentions(…)");
  checkColumns(frame.columns as readonly string[], NEEDED, "archive.mentions(…) with these columns");
  const rows = frameRecords(engine === "polars" ? (frame as PolarsFrame).select(...NEEDED) : frame);
  const counts = [...countsOf(rows).values()];
  const leftOut = rows.length - sum(counts.map(({ passages }) => passages));
  const counted = counts
    .sort((a, b) => b.passages - a.passages || Number(a.personid) - Number(b.personid))
    .map(({ names, ...count }) => ({ ...count, person: mostFrequent(names) ?? null, left_out: leftOut }));
  const provenance = provenanceOf(frame);
  const steps = provenance && derived(provenance, stepOf("countSpeakers", "summary", []));
  return setProvenance(inEngine(irregularFrame(COUNTED, counted), engine) as F, steps);
}

function countsOf(rows: readonly Readonly<Record<string, unknown>>[]): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { personid, person, length, begintime } of rows) {
    const id = speakerId(personid);
    if (id === null) continue;
    const count = counts.get(id) ?? { personid, names: [], passages: 0, seconds: 0, first: null, last: null };
    counts.set(id, count);
    count.passages++;
    count.seconds += Number(length ?? 0);
    if (typeof person === "string" && person !== "") count.names.push(person);
    const time = (begintime ?? null) as Timestamp | null;
    if (time === null) continue;
    if (count.first === null || time < count.first) count.first = time;
    if (count.last === null || time > count.last) count.last = time;
  }
  return counts;
}

/** The most frequent of some texts, the alphabetically first of equals; undefined if there are none. */
function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  let best: string | undefined;
  for (const [text, count] of counts) {
    const most = best === undefined ? 0 : (counts.get(best) as number);
    if (count > most || (count === most && best !== undefined && text < best)) best = text;
  }
  return best;
}
