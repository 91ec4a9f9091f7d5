import { dtypeNames } from "../../frames/dtypes.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { clip } from "../../util/quoted.js";
import { sum } from "../../util/sum.js";
import { emptyTable, TABLE_NAMES, TABLES, type TableColumn, type TableName } from "../database/tables.js";
import { checkedFile } from "../files.js";
import { readManifest, type TableFile } from "./manifest.js";
import { tableOf } from "./tableFiles.js";

export interface DescribedTable {
  readonly name: TableName;
  readonly files: readonly TableFile[];
  readonly rows: number;
  readonly columns: readonly DescribedColumn[];
}

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
}

const EXAMPLES = 3;
const EXAMPLE_ROWS = 50;
const EXAMPLE_LENGTH = 60;

/** Describes the tables of a corpus, of which these files were published. */
export function describeTables(dir: string, all: readonly TableFile[]): DescribedTable[] {
  return TABLE_NAMES.map((name) => {
    const files = all.filter(({ path }) => tableOf(path) === name);
    const head = headOf(dir, name, files);
    const dtypes = dtypeNames(head);
    // As rows: a column as a `Series` takes a millisecond and 300 KB.
    const values = numberedColumns(head).rows() as unknown[][];
    const rows = sum(files.map((file) => file.rows));
    const declared: Readonly<Record<string, TableColumn>> = TABLES[name];
    const columns = head.columns.map((column, at): DescribedColumn => {
      const dtype = dtypes[at] as string;
      // A label may have any name: "constructor".
      const { meaning = "Label of the search", unit = null } = Object.hasOwn(declared, column)
        ? (declared[column] as TableColumn)
        : {};
      const missing = sum(files.map(({ nulls }) => Number(Object.hasOwn(nulls, column) ? nulls[column] : 0)));
      const texts = values.flatMap((row) => exampleText(row[at], dtype) ?? []);
      const examples = [...new Set(texts)].slice(0, EXAMPLES);
      return { name: column, meaning, unit, dtype, nulls: rows === 0 ? null : missing / rows, examples };
    });
    return { name, files, rows, columns };
  });
}

/** The first rows of a table. */
function headOf(dir: string, name: TableName, files: readonly TableFile[]): PolarsFrame {
  let rows = 0;
  const first = files.filter((file) => {
    const isNeeded = rows < EXAMPLE_ROWS;
    rows += file.rows;
    return isNeeded;
  });
  if (first.length === 0) return emptyTable(name);
  const scan = scanParquetFiles(first.map(({ path }) => checkedFile(dir, path)));
  return scan.head(EXAMPLE_ROWS).collectSync() as PolarsFrame;
}

function exampleText(value: unknown, dtype: string): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  if (!(value instanceof Date)) return clip(String(value), EXAMPLE_LENGTH);
  const iso = value.toISOString();
  return dtype.includes("Datetime") ? iso.replace(".000Z", "Z") : iso.slice(0, 10);
}

/** See `corpus.codebook`. */
export function codebook(dir: string): PolarsFrame {
  const described = describeTables(dir, readManifest(dir)).flatMap(({ name: table, rows, columns }) =>
    columns.map(({ name: column, examples, ...rest }) => {
      return { table, column, rows, ...rest, examples: examples.join("; ") || null };
    }),
  );
  return resultFrame([
    ...columnsOf(described, pl.String, "table", "column", "meaning", "unit", "dtype"),
    ...columnsOf(described, pl.Int64, "rows"),
    ...columnsOf(described, pl.Float64, "nulls"),
    ...columnsOf(described, pl.String, "examples"),
  ]);
}
