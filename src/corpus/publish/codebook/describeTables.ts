import { numberedColumns } from "../../../frames/frameColumns.js";
import type { PolarsFrame } from "../../../frames/polars.js";
import { clip } from "../../../util/quoted.js";
import { sum } from "../../../util/sum.js";
import { VIDEO_TYPES } from "../../../util/videoTypes.js";
import { COLUMNS, dtypeName, emptyTable } from "../corpusTables.js";
import { scanFiles, TABLES, type TableFile, type TableName, tableOf } from "../tableFiles.js";
import { MEANINGS } from "./meanings.js";

/** A table, described. */
export interface DescribedTable {
  readonly name: TableName;
  readonly files: readonly TableFile[];
  readonly rows: number;
  readonly columns: readonly DescribedColumn[];
}

/** A column of a table, described. */
export interface DescribedColumn {
  readonly name: string;
  readonly meaning: string;
  readonly unit: string | null;
  /** The dtype of polars: `Int64`. */
  readonly dtype: string;
  /** The share of rows without a value, from 0 to 1; null if there are no rows. */
  readonly nulls: number | null;
  /** The first different values, as text. */
  readonly examples: readonly string[];
  /** Names of values. */
  readonly labels: ReadonlyArray<readonly [value: number, label: string]>;
}

const EXAMPLES = 3;
/** Rows of a table to look for examples in. */
const EXAMPLE_ROWS = 50;
const EXAMPLE_LENGTH = 60;

const VIDEO_TYPE_LABELS = Object.entries(VIDEO_TYPES)
  .map(([label, value]): [number, string] => [value, label])
  .sort(([a], [b]) => a - b);

/** Describes the tables of a corpus, of which these files were published. */
export function describeTables(dir: string, all: readonly TableFile[]): DescribedTable[] {
  return TABLES.map((name) => {
    const files = all.filter(({ path }) => tableOf(path) === name);
    const head = (scanFiles(dir, firstFiles(files))?.head(EXAMPLE_ROWS).collectSync() ??
      emptyTable(COLUMNS[name])) as PolarsFrame;
    // As rows: a column as a `Series` takes a millisecond and 300 KB.
    const values = numberedColumns(head).rows() as unknown[][];
    const rows = sum(files.map((file) => file.rows));
    const columns = head.columns.map((column, at): DescribedColumn => {
      const dtype = dtypeName(head.dtypes[at]);
      const missing = sum(files.map((file) => file.nulls[at] ?? 0));
      const { meaning = unknownMeaning(name), unit = null } = MEANINGS[name][column] ?? {};
      const nulls = rows === 0 ? null : missing / rows;
      const texts = values.map((row) => exampleText(row[at], dtype)).filter((text) => text !== undefined);
      const examples = [...new Set(texts)].slice(0, EXAMPLES);
      const labels = name === "mentions" && column === "videoTypeId" ? VIDEO_TYPE_LABELS : [];
      return { name: column, meaning, unit, dtype, nulls, examples, labels };
    });
    return { name, files, rows, columns };
  });
}

/** The paths of the files that have the first {@link EXAMPLE_ROWS} rows. */
function firstFiles(files: readonly TableFile[]): string[] {
  const paths: string[] = [];
  let rows = 0;
  for (const file of files) {
    if (rows >= EXAMPLE_ROWS) break;
    paths.push(file.path);
    rows += file.rows;
  }
  return paths;
}

/** Names of values as text: `16 = Speech; 18 = Debate`. */
export function labelsText(labels: DescribedColumn["labels"]): string {
  return labels.map(([value, label]) => `${value} = ${label}`).join("; ");
}

function unknownMeaning(name: TableName): string {
  return name === "searches" ? "Label of the search" : "Added by the service; not documented";
}

function exampleText(value: unknown, dtype: string): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  if (!(value instanceof Date)) return clip(String(value), EXAMPLE_LENGTH);
  const iso = value.toISOString();
  return dtype.includes("Datetime") ? iso.replace(".000Z", "Z") : iso.slice(0, 10);
}
