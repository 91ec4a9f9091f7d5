import { ValidationError } from "../../../errors/index.js";
import { oneOf, show } from "../../../errors/validators.js";
import { numberedColumns } from "../../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../../frames/polars.js";
import type { PartitionKey } from "../../frameWriter.js";
import { type PartitionLevel, partitionLevels, sameName } from "./checkPartitionBy.js";

/** What readers of partitioned datasets take for a missing value. */
const NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__";

/** How the rows of frames of one schema are dealt out to the folders of a partitioned dataset. */
export interface PartitionDirectories {
  /** Columns that the files do not have, since the names of the folders hold them. */
  readonly dropped: readonly string[];
  /** The folder of each row, `congress=117` or `year=2024/month=4`; made of numbers, booleans and the names of keys alone. */
  folders(frame: PolarsFrame): pl.Series;
  /** The folder of rows without any of the values. */
  readonly nulls: string;
}

/**
 * @param frame a frame of the schema
 * @throws ValidationError where a key is not to be had from the columns
 */
export function partitionDirectories(keys: readonly PartitionKey[], frame: PolarsFrame): PartitionDirectories {
  const levels = partitionLevels(keys);
  for (const level of levels) checkLevel(level, frame);
  const dropped = levels.filter(({ part }) => part === "value").map(({ column }) => column);
  const kept = frame.columns.filter((name) => !dropped.includes(name));
  if (kept.length === 0) throw refusal("no column is left for the files", "Give fewer keys.");
  for (const { name } of levels) {
    if (kept.some((column) => sameName(column, name)))
      throw refusal(`a folder and a column would both be called ${show(name)}`, "Rename the column first.");
  }
  const texts = levels.map((level) => {
    const value = valueText(pl.col(`c${frame.columns.indexOf(level.column)}`), level.part);
    return pl.concatString([pl.lit(`${level.name}=`), value.fillNull(pl.lit(NULL_FOLDER))], "");
  });
  const folder = pl.concatString(texts, "/").alias("folder");
  return {
    dropped,
    folders: (rows) => numberedColumns(rows).select(folder).getColumn("folder"),
    nulls: levels.map(({ name }) => `${name}=${NULL_FOLDER}`).join("/"),
  };
}

function valueText(column: pl.Expr, part: PartitionLevel["part"]): pl.Expr {
  // Without leading zeros: DuckDB takes "04" for text.
  const value = part === "value" ? column : column.date[part]();
  return value.cast(pl.Utf8);
}

const WHOLE = /^(?:U?Int\d+|Bool)$/;
const MOMENTS = /^(?:Datetime|Date)$/;

function checkLevel({ column, part }: PartitionLevel, frame: PolarsFrame): void {
  oneOf("partitionBy", column, frame.columns);
  const variants = frame.dtypes.map(({ variant }) => variant);
  const wanted = part === "value" ? WHOLE : MOMENTS;
  if (wanted.test(variants[frame.columns.indexOf(column)] as string)) return;
  const fit = frame.columns
    .filter((_name, at) => wanted.test(variants[at] as string))
    .map(show)
    .slice(0, 10);
  const what = part === "value" ? "whole numbers or booleans" : "moments";
  // Text from the wire is never part of a path.
  const hint = fit.length === 0 ? `These rows have no column of ${what}.` : `Columns of ${what} are ${fit.join(", ")}.`;
  throw refusal(`${show(column)} is not a column of ${what}`, hint);
}

function refusal(what: string, hint: string): ValidationError {
  return new ValidationError(`invalid partitionBy: ${what}.`, { hint, parameter: "partitionBy" });
}
