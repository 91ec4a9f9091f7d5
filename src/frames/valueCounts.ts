import { invalid, nameList, refuseColumns, unknownColumn } from "../errors/validators.js";
import { joinWords } from "../util/text.js";
import { checkPolarsFrame } from "./engine.js";
import { deriveProvenance } from "./lineage/derived.js";
import { type PolarsFrame, pl } from "./polars.js";
import { provenanceOf, setProvenance } from "./provenanceOf.js";

/**
 * Counts the rows by the values of one column or of several: one row per value, the most frequent first. Rows without a value are counted
 * together.
 *
 * @param columns names of columns; calendar columns come from `perPeriod`
 * @returns a frame with these columns, `count` (rows) and `share` (0 to 1: of all rows)
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 300 });
 * valueCounts(frame, "person").columns; //=> ["person", "count", "share"]
 */
export function valueCounts(frame: PolarsFrame, columns: string | readonly string[]): PolarsFrame {
  checkPolarsFrame(frame);
  const names = nameList("columns", typeof columns === "string" ? [columns] : columns, "person", "party");
  const unknownName = names.find((name) => !frame.columns.includes(name));
  if (unknownName !== undefined) throw unknownColumn(unknownName, frame.columns);
  if (new Set(names).size < names.length) throw invalid("columns", names, "Give each column once.");
  refuseColumns(names, ["count", "share"]);
  const counts = frame
    .select(...names)
    .withColumns(pl.lit(1).cast(pl.Int64).alias("count"))
    .groupBy([...names])
    .agg(pl.col("count").sum())
    .withColumns(pl.col("count").cast(pl.Float64).div(pl.lit(frame.height)).alias("share"))
    .sort([...names])
    .sort({ by: "count", descending: true, maintainOrder: true });
  const provenance = provenanceOf(frame);
  const text = `counted by values of ${joinWords(names)}`;
  const step = { verb: "valueCounts", text, rows: [frame.height, counts.height] as const };
  return setProvenance(counts, provenance && deriveProvenance(provenance, step));
}
