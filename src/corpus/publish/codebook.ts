import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf as resultColumns, resultFrame } from "../../frames/resultFrame.js";
import { sum } from "../../util/sum.js";
import { columnsOf, TABLE_NAMES, type TableColumn, type TableName, TYPES } from "../database/tables.js";
import { type Definition, labelNames, readDefinition } from "../definition/definition.js";
import { readManifest, type TableFile, tableOf } from "./tableFiles.js";

/** A column of a published table. */
export interface DescribedColumn {
  readonly table: TableName;
  readonly column: string;
  readonly meaning: string;
  readonly unit: string | null;
  /** The dtype of polars: `Int64`. */
  readonly dtype: string;
  readonly rows: number;
  /** The share of rows without a value, from 0 to 1; null if there are no rows. */
  readonly nulls: number | null;
}

/** The columns of a table in the order of its files, with a column of `searches` for each label. */
export function tableColumns(table: TableName, definition: Definition): Array<readonly [string, TableColumn]> {
  const labels = table === "searches" ? labelNames(definition) : [];
  const columns = labels.map((name) => [name, ["string", "Label of the search"]] as const);
  return columnsOf(table).toSpliced(1, 0, ...columns);
}

/** Describes every column of the tables, of which these files were published. */
export function describeColumns(definition: Definition, files: readonly TableFile[]): DescribedColumn[] {
  return TABLE_NAMES.flatMap((table) => {
    const ofTable = files.filter(({ path }) => tableOf(path) === table);
    const rows = sum(ofTable.map((file) => file.rows));
    return tableColumns(table, definition).map(([column, [type, meaning, unit = null]]) => {
      // A label may have any name: "constructor".
      const missing = sum(ofTable.map(({ nulls }) => (Object.hasOwn(nulls, column) ? (nulls[column] as number) : 0)));
      const nulls = rows === 0 ? null : missing / rows;
      return { table, column, meaning, unit, dtype: TYPES[type][1].variant, rows, nulls };
    });
  });
}

/** See `corpus.codebook`. */
export function codebook(dir: string): PolarsFrame {
  const columns = describeColumns(readDefinition(dir) as Definition, readManifest(dir));
  return resultFrame([
    ...resultColumns(columns, pl.String, "table", "column", "meaning", "unit", "dtype"),
    ...resultColumns(columns, pl.Int64, "rows"),
    ...resultColumns(columns, pl.Float64, "nulls"),
  ]);
}
