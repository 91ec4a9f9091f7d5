import { checkColumns } from "../errors/validators.js";
import { TypeFlags } from "../frames/dtypes.js";
import { checkPolarsFrame, frameRecords } from "../frames/engine.js";
import { frameOfRows } from "../frames/irregularRows.js";
import { deriveProvenance } from "../frames/lineage/derived.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { byCodeUnit, groupBy, sum } from "../util/lists.js";
import { speakerId } from "./speakers.js";

const REQUIRED_COLUMNS = ["personid", "person", "length", "begintime"];
const { int, string, datetime } = TypeFlags;
const COLUMNS = new Map([
  ...Object.entries({ personid: int, person: string, passages: int, seconds: int }),
  ...Object.entries({ first: datetime, last: datetime, left_out: int }),
]);

/**
 * Counts the passages of each speaker: one row per `personid`, most passages first. `person` is the most frequent spelling of the name,
 * `left_out` the number of passages without a known speaker, which are not counted.
 *
 * @param frame a frame of mentions
 * @returns the columns `personid`, `person`, `passages`, `seconds`, `first`, `last` (dates) and `left_out`
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 1000 });
 * countSpeakers(frame).columns; //=> ["personid", "person", "passages", "seconds", "first", "last", "left_out"]
 */
export function countSpeakers(frame: PolarsFrame): PolarsFrame {
  checkPolarsFrame(frame, "frame", "a frame of archive.mentions(…)");
  checkColumns(frame.columns, REQUIRED_COLUMNS, "archive.mentions(…) with these columns");
  const rows = frameRecords(frame.select(...REQUIRED_COLUMNS));
  const identified = groupBy(rows, ({ personid }) => speakerId(personid));
  const leftOut = identified.get(null)?.length ?? 0;
  identified.delete(null);
  const counts = [...identified.values()]
    .sort((a, b) => b.length - a.length || Number(a[0]?.personid) - Number(b[0]?.personid))
    .map((passages) => {
      const times = passages.flatMap(({ begintime }) => (begintime as Date | string | null) ?? []);
      times.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      return {
        personid: passages[0]?.personid,
        person: mostFrequent(passages.map(({ person }) => person)),
        passages: passages.length,
        seconds: sum(passages.map(({ length }) => Number(length ?? 0))),
        first: times[0] ?? null,
        last: times.at(-1) ?? null,
        left_out: leftOut,
      };
    });
  const provenance = provenanceOf(frame);
  const step = { verb: "countSpeakers", text: "counted by speaker", rows: [frame.height, counts.length] } as const;
  return setProvenance(frameOfRows(COLUMNS, counts), provenance && deriveProvenance(provenance, step));
}

/** The most frequent text, the alphabetically first of equals; null without any. */
function mostFrequent(values: readonly unknown[]): string | null {
  const texts = values.filter((value): value is string => typeof value === "string" && value !== "");
  const groups = [...groupBy(texts, (text) => text)];
  groups.sort(([a, one], [b, other]) => other.length - one.length || byCodeUnit(a, b));
  return groups[0]?.[0] ?? null;
}
