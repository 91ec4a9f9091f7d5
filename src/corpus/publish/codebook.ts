import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf as resultColumns, resultFrame } from "../../frames/resultFrame.js";
import { columnsOf, TABLE_NAMES, type TableColumn, type TableName, TYPES } from "../database/tables.js";
import { type Definition, labelNames, readDefinition } from "../definition/definition.js";

/** A column of a published table. */
export interface DescribedColumn {
  readonly table: TableName;
  readonly column: string;
  readonly meaning: string;
  readonly unit: string | null;
  /** The dtype of polars: `Int64`. */
  readonly dtype: string;
}

/** The columns of a table in the order of its files, with a column of `searches` for each label. */
export function tableColumns(table: TableName, definition: Definition): Array<readonly [string, TableColumn]> {
  const labels = table === "searches" ? labelNames(definition) : [];
  const columns = labels.map((name) => [name, ["string", "Label of the search"]] as const);
  return columnsOf(table).toSpliced(1, 0, ...columns);
}

/** Describes every column of the tables. */
export function describeColumns(definition: Definition): DescribedColumn[] {
  return TABLE_NAMES.flatMap((table) =>
    tableColumns(table, definition).map(([column, [type, meaning, unit = null]]) => {
      return { table, column, meaning, unit, dtype: TYPES[type][1].variant };
    }),
  );
}

/** See `corpus.codebook`. */
export function codebook(dir: string): PolarsFrame {
  const columns = describeColumns(readDefinition(dir) as Definition);
  return resultFrame(resultColumns(columns, pl.String, "table", "column", "meaning", "unit", "dtype"));
}
