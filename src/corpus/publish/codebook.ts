import { dtypeNames } from "../../frames/dtypes.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { clip } from "../../util/quoted.js";
import { sum } from "../../util/sum.js";
import { COLUMNS, type DescribedName, emptyTable, TABLES } from "./tableColumns.js";
import { readIndex, scanFiles, type TableFile, tableOf } from "./tableFiles.js";

export interface DescribedTable {
  readonly name: DescribedName;
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
  return TABLES.map((name) => {
    const files = all.filter(({ path }) => tableOf(path) === name);
    const head = headOf(dir, name, files);
    const dtypes = dtypeNames(head);
    // As rows: a column as a `Series` takes a millisecond and 300 KB.
    const values = numberedColumns(head).rows() as unknown[][];
    const rows = sum(files.map((file) => file.rows));
    const unknown = name === "searches" ? "Label of the search" : "Added by the service; not documented";
    const columns = head.columns.map((column, at): DescribedColumn => {
      const dtype = dtypes[at] as string;
      const [, meaning = unknown, unit = null] = ownMember(COLUMNS[name], column) ?? [];
      const missing = sum(files.map((file) => Number(ownMember(file.nulls, column) ?? 0)));
      const nulls = rows === 0 ? null : missing / rows;
      const texts = values.flatMap((row) => exampleText(row[at], dtype) ?? []);
      return { name: column, meaning, unit, dtype, nulls, examples: [...new Set(texts)].slice(0, EXAMPLES) };
    });
    return { name, files, rows, columns };
  });
}

/** A service may add a column of any name: "constructor". */
function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function headOf(dir: string, name: DescribedName, files: readonly TableFile[]): PolarsFrame {
  let rows = 0;
  const first = files.filter((file) => {
    const isNeeded = rows < EXAMPLE_ROWS;
    rows += file.rows;
    return isNeeded;
  });
  const paths = first.map(({ path }) => path);
  return (scanFiles(dir, paths)?.head(EXAMPLE_ROWS).collectSync() as PolarsFrame | undefined) ?? emptyTable(name);
}

function exampleText(value: unknown, dtype: string): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  if (!(value instanceof Date)) return clip(String(value), EXAMPLE_LENGTH);
  const iso = value.toISOString();
  return dtype.includes("Datetime") ? iso.replace(".000Z", "Z") : iso.slice(0, 10);
}

export function codebook(dir: string): PolarsFrame {
  const described = describeTables(dir, readIndex(dir)?.files ?? []).flatMap(({ name: table, rows, columns }) =>
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
