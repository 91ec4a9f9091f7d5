import { join } from "node:path";
import { fieldType } from "../../files/package/tableSchema.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf as resultColumns, resultFrame } from "../../frames/resultFrame.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { sum } from "../../util/lists.js";
import { columnsOf, TABLE_NAMES, type TableColumn, type TableName, TYPES } from "../database/tables.js";
import { type Definition, readDefinition } from "../definition/definition.js";
import { labelNames } from "../definition/searches.js";
import { MANIFEST, type TableFile, tableOf } from "./tableFiles.js";

/** The primary keys of the tables. */
export const KEYS: Readonly<Record<TableName, readonly string[]>> = {
  mentions: ["id"],
  hits: ["id", "search"],
  people: ["id"],
  programs: ["id"],
  searches: ["search"],
  windows: ["search", "span"],
  runs: ["run"],
};

const FORMAT = { type: "table", format: "parquet", mediatype: "application/vnd.apache.parquet" };

/**
 * Writes `README.md`, which says how to read the tables, and the manifest with their hashes and columns. Equal tables give equal bytes.
 */
export function writePackage(dir: string, files: readonly TableFile[], columns: readonly ColumnDescription[]): void {
  const resources = TABLE_NAMES.map((name) => {
    const tableFiles = files.filter(({ path }) => tableOf(path) === name);
    const fieldColumns = columns.filter(({ table }) => table === name);
    const fields = fieldColumns.map(({ column, dtype, meaning, unit }) => {
      return { name: column, type: fieldType(dtype), description: meaning, unit };
    });
    const path = tableFiles.map((file) => file.path);
    const bytes = sum(tableFiles.map((file) => file.bytes));
    const schema = { fields, primaryKey: KEYS[name] };
    return { name, path, ...FORMAT, bytes, files: tableFiles, schema };
  });
  const descriptor = { $schema: "https://datapackage.org/profiles/2.0/datapackage.json", resources };
  writeFileAtomic(join(dir, "README.md"), README);
  writeFileAtomic(join(dir, MANIFEST), `${JSON.stringify(descriptor, null, 1)}\n`);
}

const README = `# A corpus of mentions

Mentions from an archive of television programs, found by many searches. The tables are Parquet files below \`tables/\`, and
\`mentions\` and \`hits\` have a file per month of \`begintime\` in UTC. \`datapackage.json\` has the SHA-256 of every file, \`corpus.json\` the
searches.

\`\`\`python
import polars as pl
mentions = pl.scan_parquet("tables/mentions/**/*.parquet", hive_partitioning=True)
\`\`\`

\`\`\`sql
-- DuckDB
select person, count(*) from 'tables/mentions/**/*.parquet' group by person;
\`\`\`

\`\`\`ts
import { openCorpus } from "archive-frames/corpus";
const corpus = await openCorpus(".");
const mentions = await corpus.mentions().collect();
\`\`\`

Files are replaced as a whole. To read one state while a run is publishing, copy the directory.

\`first_seen\` is the day on which a mention was found first, \`changed\` the day since when it has its present content, and \`vanished\`
the day since when no search finds it. \`hits\` has a row for every search that found a mention.

Each column is described in \`datapackage.json\`, and by \`corpus.codebook()\`.
`;

/** A column of a published table, with its dtype in polars. */
type ColumnDescription = ReturnType<typeof describeColumns>[number];

/** The columns of a table in the order of its files, with a column of `searches` for each label. */
export function tableColumns(table: TableName, definition: Definition): Array<readonly [string, TableColumn]> {
  const labels = table === "searches" ? labelNames(definition) : [];
  const columns = labels.map((name) => [name, ["string", "Label of the search"]] as const);
  return columnsOf(table).toSpliced(1, 0, ...columns);
}

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
