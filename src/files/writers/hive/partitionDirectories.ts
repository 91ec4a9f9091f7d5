import { ValidationError } from "../../../errors/index.js";
import { oneOf, show } from "../../../errors/validators.js";
import { option, wording } from "../../../errors/wording.js";
import { numberedColumns } from "../../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../../frames/polars.js";
import { dt } from "../../../frames/polarsAccessors.js";
import type { PartitionKey } from "../../frameWriter.js";
import { isSameName, type PartitionLevel, partitionLevels } from "./checkPartitionBy.js";

/** The directory name of missing values in the Hive layout. */
const NULL_DIRECTORY = "__HIVE_DEFAULT_PARTITION__";

/** Assigns the rows of frames of one schema to the directories of a partitioned dataset. */
export interface PartitionDirectories {
  /** Columns that the files omit, since the directory names hold their values. */
  readonly dropped: readonly string[];
  /** The directory of each row: `congress=117` or `year=2024/month=4`. Consists of numbers, booleans and names of keys only. */
  directories(frame: PolarsFrame): pl.Series;
  /** The directory of rows without any of the values. */
  readonly nullDirectory: string;
}

/**
 * @param frame a frame of the schema
 * @throws ValidationError for a key that does not fit the columns
 */
export function partitionDirectories(keys: readonly PartitionKey[], frame: PolarsFrame): PartitionDirectories {
  const levels = partitionLevels(keys);
  for (const level of levels) checkLevel(level, frame);
  const dropped = levels.filter(({ part }) => part === "value").map(({ column }) => column);
  const remaining = frame.columns.filter((name) => !dropped.includes(name));
  if (remaining.length === 0) throw refusal("no column would remain for the files", "Give fewer keys.");
  for (const { name } of levels) {
    if (remaining.some((column) => isSameName(column, name)))
      throw refusal(`a directory and a column would both be called ${show(name)}`, "Rename the column first.");
  }
  const texts = levels.map((level) => {
    const value = valueText(pl.col(`c${frame.columns.indexOf(level.column)}`), level.part);
    return pl.concatString([pl.lit(`${level.name}=`), value.fillNull(pl.lit(NULL_DIRECTORY))], "");
  });
  const directory = pl.concatString(texts, "/").alias("directory");
  return {
    dropped,
    directories: (rows) => numberedColumns(rows).select(directory).getColumn("directory"),
    nullDirectory: levels.map(({ name }) => `${name}=${NULL_DIRECTORY}`).join("/"),
  };
}

function valueText(column: pl.Expr, part: PartitionLevel["part"]): pl.Expr {
  // No leading zeros: DuckDB reads "04" as text.
  const value = part === "value" ? column : dt(column)[part]();
  return value.cast(pl.Utf8);
}

const INTEGER_OR_BOOLEAN = /^(?:U?Int\d+|Bool)$/;
const TIMESTAMP_OR_DATE = /^(?:Datetime|Date)$/;

function checkLevel({ column, part }: PartitionLevel, frame: PolarsFrame): void {
  oneOf("partitionBy", column, frame.columns);
  const variants = frame.dtypes.map(({ variant }) => variant);
  const expected = part === "value" ? INTEGER_OR_BOOLEAN : TIMESTAMP_OR_DATE;
  if (expected.test(variants[frame.columns.indexOf(column)] as string)) return;
  const candidates = frame.columns
    .filter((_name, at) => expected.test(variants[at] as string))
    .map(show)
    .slice(0, 10);
  const what = part === "value" ? "integers or booleans" : "timestamps";
  // Text from the service must never become part of a path.
  const hint =
    candidates.length === 0 ? `There is no column of ${what}.` : `Columns of ${what} are ${candidates.join(", ")}.`;
  throw refusal(`${show(column)} is not a column of ${what}`, hint);
}

function refusal(what: string, hint: string): ValidationError {
  return new ValidationError(wording`invalid ${option("partitionBy")}: ${what}.`, { hint, parameter: "partitionBy" });
}
