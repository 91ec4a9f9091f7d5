import { setImmediate } from "node:timers/promises";
import { type PolarsFrame, pl } from "../../../frames/polars.js";
import { COLUMNS } from "../corpusTables.js";
import { filesOf, TABLES, type TableName } from "../tablePaths.js";
import { type DescribedFile, DescribedFiles } from "./describedFiles.js";
import { MEANINGS } from "./meanings.js";
import { type ColumnStatistics, fileStatistics, type TableStatistics, tableStatistics } from "./tableStatistics.js";
import { hitsOf, VideoTypeLabels } from "./videoTypeLabels.js";

/** A column of a table, described. */
export interface DescribedColumn extends ColumnStatistics {
  readonly table: TableName;
  readonly meaning: string;
  readonly unit: string | null;
  /** The share of rows without a value, from 0 to 1; null if there are no rows. */
  readonly nullShare: number | null;
  /** Names of values. */
  readonly labels: ReadonlyMap<number, string>;
}

/** A table, described. */
export interface DescribedTable extends Omit<TableStatistics, "columns"> {
  readonly columns: readonly DescribedColumn[];
}

/**
 * Describes the tables of a corpus. Files that {@link describeFiles} has described are not read.
 */
export function describeTables(dir: string): DescribedTable[] {
  const videoTypes = new VideoTypeLabels(dir);
  const described = new DescribedFiles(dir, videoTypes.key);
  return TABLES.map((name) => {
    const files = filesOf(dir, name).map((path) => describeFile(described, name, path, videoTypes));
    for (const { videoTypes: counts = [] } of files) videoTypes.add(counts);
    const statistics = tableStatistics(name, files, COLUMNS[name]);
    const columns = statistics.columns.map((column) => {
      const { meaning = unknownMeaning(name), unit = null } = MEANINGS[name][column.name] ?? {};
      const nullShare = statistics.rows === 0 ? null : column.nulls / statistics.rows;
      const labels =
        name === "mentions" && column.name === "videoTypeId" ? videoTypes.labels() : new Map<number, string>();
      return { ...column, table: name, meaning, unit, nullShare, labels };
    });
    return { ...statistics, columns };
  });
}

/** Keeps the statistics of all files in `work/`, for {@link describeTables}. The caller holds the lock of the corpus. */
export async function describeFiles(dir: string): Promise<void> {
  const videoTypes = new VideoTypeLabels(dir);
  const described = new DescribedFiles(dir, videoTypes.key);
  for (const name of TABLES)
    for (const path of filesOf(dir, name)) {
      describeFile(described, name, path, videoTypes);
      // Node frees the memory of frames between turns of the event loop only.
      await setImmediate();
    }
  described.save();
}

function describeFile(
  described: DescribedFiles,
  name: TableName,
  path: string,
  videoTypes: VideoTypeLabels,
): DescribedFile {
  const { dir } = described;
  if (name !== "mentions") return described.get(path, [], () => fileStatistics(dir, path).statistics);
  return described.get(path, [hitsOf(path)], () => describeMentions(dir, path, videoTypes));
}

function describeMentions(dir: string, path: string, videoTypes: VideoTypeLabels): DescribedFile {
  const { statistics, frame } = fileStatistics(dir, path);
  return { ...statistics, videoTypes: videoTypes.count(frame, path) };
}

function unknownMeaning(name: TableName): string {
  return name === "searches" ? "Label of the search" : "Added by the service; not documented";
}

/**
 * The codebook of a corpus as a frame: one row per column of its tables, with `table`, `column`, `meaning`, `unit`, `dtype`, `rows`,
 * `nulls` (share of rows without a value), `examples` and `labels` (names of values, `18 = Debate`).
 *
 * @example
 * codebook("inflation/").filter(pl.col("table").eq(pl.lit("mentions")));
 */
export function codebook(dir: string): PolarsFrame {
  const described = describeTables(dir).flatMap(({ rows, columns }) => columns.map((column) => ({ ...column, rows })));
  const text = (name: string, value: (column: DescribedColumn) => string | null) =>
    pl.Series(name, described.map(value), pl.String);
  return pl.DataFrame([
    text("table", ({ table }) => table),
    text("column", ({ name }) => name),
    text("meaning", ({ meaning }) => meaning),
    text("unit", ({ unit }) => unit),
    text("dtype", ({ dtype }) => dtype),
    pl.Series(
      "rows",
      described.map(({ rows }) => rows),
      pl.Int64,
    ),
    pl.Series(
      "nulls",
      described.map(({ nullShare }) => nullShare),
      pl.Float64,
    ),
    text("examples", ({ examples }) => (examples.length === 0 ? null : examples.join("; "))),
    text("labels", ({ labels }) => (labels.size === 0 ? null : labelsText(labels))),
  ]);
}

/** Names of values as text: `16 = Speech; 18 = Debate`. */
export function labelsText(labels: ReadonlyMap<number, string>): string {
  return [...labels].map(([value, label]) => `${value} = ${label}`).join("; ");
}
