import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError, type ValidationError } from "../../errors/index.js";
import { faulty, oneOf, show } from "../../errors/validators.js";
import { rebatched } from "../../frames/frameBatches.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { dt, type PolarsFrame, pl } from "../../frames/polars.js";
import type { FrameWriter, WriterTarget } from "../frameWriter.js";
import { checkPartitionBy, isSameName, type PartitionLevel, partitionLevels } from "../partitions.js";
import { sinkParquet, spillFrame } from "./columnarWriters.js";

/** Each partition is a file. More are probably a mistake, such as a column of ids. */
const MAX_PARTITIONS = 1000;

/** Rows to distribute at once. Each partition among them gets a temporary file. */
const BATCH_ROWS = 65_536;

const NULL_DIRECTORY = "__HIVE_DEFAULT_PARTITION__";

/**
 * Writes a dataset of Parquet files in directories named after the values of columns, which the files omit:
 * `congress=117/part-0.parquet`. Timestamps used by year, month or day stay in the files. Missing values go to
 * `__HIVE_DEFAULT_PARTITION__`. Rows keep their order. Throws a ValidationError for a key that does not fit the columns, and a
 * ArchiveError (`TOO_MANY_PARTITIONS`) beyond 1,000 partitions.
 */
export const writeHive: FrameWriter = async (frames, target, formatOptions) => {
  const levels = partitionLevels(checkPartitionBy(formatOptions.partitionBy));
  const dropped = levels.filter(({ part }) => part === "value").map(({ column }) => column);
  const partitions = new Map<string, string[]>();
  let column = "directory";
  let directory: pl.Expr | undefined;
  async function* withDirectories(): AsyncGenerator<PolarsFrame> {
    for await (const frame of frames) {
      while (frame.columns.includes(column)) column += "_";
      directory ??= directoryExpression(levels, dropped, frame);
      const directories = numberedColumns(frame).select(directory.alias(column)).getColumn(column);
      for (const name of uniqueTexts(directories)) if (!partitions.has(name)) partitions.set(name, []);
      if (partitions.size > MAX_PARTITIONS) throw tooMany(target);
      yield frame.drop(dropped).withColumns(directories);
    }
  }
  let files = 0;
  for await (const rows of rebatched(withDirectories(), BATCH_ROWS)) {
    const names = uniqueTexts(rows.getColumn(column));
    for (const [at, group] of rows.partitionBy([column], true, false).entries())
      partitions.get(names[at] as string)?.push(await spillFrame(target.scratch, files++, group));
    // A dataset without rows has one file with the columns.
    if (rows.height > 0) continue;
    const nulls = levels.map(({ name }) => `${name}=${NULL_DIRECTORY}`).join("/");
    partitions.set(nulls, [await spillFrame(target.scratch, files++, rows.drop(column))]);
  }
  // checkReplaceable recognizes the dataset by our metadata key in every file.
  const provenanceJson = () => target.provenanceJson?.() ?? "{}";
  for (const [directory, paths] of partitions) {
    await mkdir(join(target.path, directory), { recursive: true, mode: 0o700 });
    const path = join(target.path, directory, "part-0.parquet");
    await sinkParquet(paths, { ...target, path, provenanceJson }, formatOptions);
    for (const spilled of paths) await rm(spilled);
  }
};

function uniqueTexts(column: pl.Series): string[] {
  return [...column.unique(true).toArray()] as string[];
}

function tooMany({ path, name }: WriterTarget): ArchiveError {
  return new ArchiveError(`More than ${MAX_PARTITIONS.toLocaleString("en")} partitions of ${name}.`, {
    code: "TOO_MANY_PARTITIONS",
    hint: 'Partition by a column with fewer values, for example partitionBy: { year: "begintime" }.',
    path,
  });
}

/**
 * The directory of each row of a frame with numbered columns: `congress=117` or `year=2024/month=4`. Directory names contain only
 * numbers, booleans and names of keys.
 * @param dropped columns that the files omit, because the directory names contain their values
 */
function directoryExpression(
  levels: readonly PartitionLevel[],
  dropped: readonly string[],
  frame: PolarsFrame,
): pl.Expr {
  for (const level of levels) checkLevel(level, frame);
  const remaining = frame.columns.filter((name) => !dropped.includes(name));
  if (remaining.length === 0) throw refusal("no column would remain for the files", "Give fewer keys.");
  for (const { name } of levels) {
    if (remaining.some((column) => isSameName(column, name)))
      throw refusal(`a directory and a column would both be called ${show(name)}`, "Rename the column first.");
  }
  const texts = levels.map(({ name, column, part }) => {
    const values = pl.col(`c${frame.columns.indexOf(column)}`);
    // No leading zeros: DuckDB reads "04" as text.
    const text = (part === "value" ? values : dt(values)[part]()).cast(pl.Utf8);
    return pl.concatString([pl.lit(`${name}=`), text.fillNull(pl.lit(NULL_DIRECTORY))], "");
  });
  return pl.concatString(texts, "/");
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
  return faulty("partitionBy", what, hint);
}
