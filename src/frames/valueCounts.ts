import { invalid, nameList, refuseColumns } from "../errors/validators.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { sum } from "../util/sum.js";
import { designOf } from "./designOf.js";
import { checkFrame, inEngine, isPolarsFrame } from "./engine.js";
import { derived } from "./lineage/derived.js";
import { stepOf } from "./lineage/step.js";
import { type PolarsFrame, pl } from "./polars.js";
import { provenanceOf, setProvenance } from "./provenanceOf.js";
import { toDataFrame } from "./toDataFrame.js";
import { unknownColumn } from "./where.js";

/**
 * Counts the rows by the values of one column or of several: one row per value, the most frequent first, equal counts in the order of
 * their values. Rows without a value are a row of their own.
 *
 * @param frame a polars or danfo frame
 * @param columns the name of a column, or a list of names; calendar columns come from `perPeriod`
 * @returns a frame of the same library with these columns, `count` (rows) and `share` (0 to 1: of all rows, of those of a sample by their weights, see
 *   {@link designOf}); it keeps the provenance
 * @throws ValidationError for a column that the frame does not have, and for columns named `count` or `share`
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 300 });
 * valueCounts(frame, "person").columns; //=> ["person", "count", "share"]
 * const months = frame.withColumns(perPeriod("begintime", "month"));
 * valueCounts(months, ["month", "person"]).head(10);
 */
export function valueCounts<F extends PolarsFrame | DanfoFrame>(frame: F, columns: string | readonly string[]): F {
  const engine = checkFrame(frame);
  const names = nameList("columns", typeof columns === "string" ? [columns] : columns, "person", "party");
  const given = frame.columns as readonly string[];
  const missing = names.find((name) => !given.includes(name));
  if (missing !== undefined) throw unknownColumn(missing, given);
  if (new Set(names).size < names.length) throw invalid("columns", names, "Give each column once.");
  refuseColumns(names, ["count", "share"]);
  const whole: PolarsFrame = isPolarsFrame(frame) ? frame : toDataFrame(frame as DanfoFrame);
  const weights = given.includes("probability") ? designOf(whole)?.weights : undefined;
  const shares = weights ?? new Array<number>(whole.height).fill(1);
  const counted = whole
    .select(...names)
    .withColumns(pl.lit(1).cast(pl.Int64).alias("count"), pl.Series("share", shares, pl.Float64))
    .groupBy([...names])
    .agg(pl.col("count").sum(), pl.col("share").sum())
    .withColumn(pl.col("share").div(pl.lit(sum(shares))))
    .sort([...names])
    .sort({ by: "count", descending: true, maintainOrder: true });
  const provenance = provenanceOf(frame);
  const steps = provenance && derived(provenance, stepOf("valueCounts", "summary", [{ columns: names }]));
  return setProvenance(inEngine(counted, engine) as F, steps);
}
