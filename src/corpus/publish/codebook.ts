import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf as resultColumns, resultFrame } from "../../frames/resultFrame.js";
import { columnsOf, TABLE_NAMES, type TableColumn, type TableName, TYPES } from "../database/tables.js";
import { type Definition, readDefinition } from "../definition/definition.js";
import { labelNames } from "../definition/searches.js";

/** A column of a published table, with its dtype in polars. */
export type DescribedColumn = ReturnType<typeof describeColumns>[number];

/** The columns of a table in the order of its files, with a column of `searches` for each label. */
export function tableColumns(table: TableName, definition: Definition): Array<readonly [string, TableColumn]> {
  const labels = table === "searches" ? labelNames(definition) : [];
  const columns = labels.map((name) => [name, ["string", "Label of the search"]] as const);
  return columnsOf(table).toSpliced(1, 0, ...columns);
}

/** Describes every column of the tables. */
export function describeColumns(definition: Definition) {
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
