import { join } from "node:path";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { pluralize } from "../../util/counts.js";
import { sha256Of } from "../../util/sha256Of.js";
import { sum } from "../../util/sum.js";
import { VERSION } from "../../util/version.js";
import type { TableName } from "../database/tables.js";
import { readInside } from "../files.js";
import type { DescribedColumn, DescribedTable } from "./describeTables.js";
import { MANIFEST } from "./manifest.js";
import { isPartitioned } from "./tableFiles.js";

const MAX_BYTES = 2 ** 28;

/**
 * Describes the tables of a corpus in `README.md` (how to read them, codebook) and in the manifest (hashes, columns). Equal tables give
 * equal bytes, and nothing is written if nothing changed.
 */
export function writePackage(dir: string, tables: readonly DescribedTable[]): void {
  const definition = readInside(dir, "corpus.json", MAX_BYTES);
  const resources = [
    ...tables.filter(({ files }) => files.length > 0).map(tableResource),
    ...(definition === undefined ? [] : [definitionResource(definition)]),
  ];
  const descriptor = { $schema: "https://datapackage.org/profiles/2.0/datapackage.json", resources };
  writeIfOther(dir, "README.md", corpusReadme(tables));
  writeIfOther(dir, MANIFEST, `${JSON.stringify(descriptor, null, 2)}\n`);
}

function writeIfOther(dir: string, name: string, text: string): void {
  let written: string | undefined;
  try {
    written = readInside(dir, name, MAX_BYTES)?.toString();
  } catch {
    // A link, for example. It is replaced.
  }
  if (written !== text) writeFileAtomic(join(dir, name), text);
}

function definitionResource(bytes: Buffer) {
  const hash = `sha256:${sha256Of(bytes)}`;
  const [name, path] = ["corpus.json", "corpus.json"];
  return { name, path, format: "json", mediatype: "application/json", encoding: "utf-8", bytes: bytes.length, hash };
}

/** Keys of the tables, as Table Schema writes them. */
const KEYS: Readonly<Record<TableName, object>> = {
  mentions: { primaryKey: ["id"] },
  hits: {
    primaryKey: ["search", "id"],
    foreignKeys: [{ fields: ["id"], reference: { resource: "mentions", fields: ["id"] } }],
  },
  people: { primaryKey: ["id"] },
  programs: { primaryKey: ["id"] },
  searches: { primaryKey: ["search"] },
  windows: { primaryKey: ["search", "span"] },
  runs: { primaryKey: ["run"] },
};

function tableResource({ name, files, columns }: DescribedTable) {
  const isMonthly = isPartitioned(name);
  return {
    $schema: "https://datapackage.org/profiles/2.0/dataresource.json",
    name,
    path: isMonthly ? files.map(({ path }) => path) : files[0]?.path,
    type: "table",
    format: "parquet",
    mediatype: "application/vnd.apache.parquet",
    bytes: sum(files.map(({ bytes }) => bytes)),
    files,
    schema: {
      fields: columns.map(fieldOf),
      missingValues: [],
      // The year and the month are in the names of the directories.
      ...(isMonthly ? { fieldsMatch: "superset" } : {}),
      ...KEYS[name],
    },
  };
}

function fieldOf({ name, dtype, meaning: description, unit }: DescribedColumn) {
  return { name, type: fieldType(dtype), description, ...(unit !== null && { unit }) };
}

function fieldType(dtype: string): "datetime" | "integer" | "number" | "date" | "boolean" | "string" {
  if (dtype.startsWith("Datetime")) return "datetime";
  if (/^U?Int/.test(dtype)) return "integer";
  if (dtype.startsWith("Float")) return "number";
  return dtype === "Date" ? "date" : dtype.startsWith("Bool") ? "boolean" : "string";
}

function corpusReadme(tables: readonly DescribedTable[]): string {
  return `# A corpus of mentions

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

Files are replaced as a whole, so the tables can be read at any moment. polars and DuckDB open a file twice: if it is replaced in
between, they throw instead of mixing rows, and the read has to be repeated. To read one state for longer, copy the directory.

A mention has \`first_seen\`, the day on which it was found first; \`changed\`, the day since when it has its present content; and
\`vanished\`, the day since when no search finds it. Searches overlap: \`hits\` has a row for every search that found a mention, so
\`hits join searches using (search)\` counts each once per search.

## Codebook

${tables.map(tableSection).join("\n\n")}
`;
}

const TABLE_NOTES: Readonly<Record<TableName, string>> = {
  mentions: "Every mention once.",
  hits: "Which search found which mention.",
  people: "The speakers, looked up by id.",
  programs: "The programs, looked up by id.",
  searches: "What was searched for, and how far each search is.",
  windows: "Each search in spans of days: what is fetched as a whole.",
  runs: "What each run did.",
};

function tableSection({ name, rows, columns }: DescribedTable): string {
  return `### ${name}

${TABLE_NOTES[name]} ${pluralize(rows, "row")}.

| column | meaning | unit | type | missing | examples |
|---|---|---|---|---|---|
${columns.map(columnLine).join("\n")}`;
}

function columnLine({ name, meaning, unit, dtype, nulls, examples }: DescribedColumn): string {
  const missing = nulls === null ? "" : percentText(nulls);
  const cells = [markdownText(name), meaning, unit ?? "", dtype, missing, markdownText(examples.join("; "))];
  return `| ${cells.join(" | ")} |`;
}

/** Not rounded to 0 or 100 %: these say that no row, or every row, lacks the value. */
function percentText(share: number): string {
  if (share === 0 || share === 1) return `${100 * share} %`;
  return `${Math.min(99.9, Math.max(0.1, 100 * share)).toFixed(1)} %`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of the service or of users as Markdown that shows it literally, on one line, for a cell of a table. */
function markdownText(text: string): string {
  const escaped = text.replace(CONTROLS, " ").replace(/[\\`*_[\]|~$]/g, "\\$&");
  return escaped.replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}

/** What the citation of an export says. */
export interface ExportMetadata {
  readonly title: string;
  readonly description: string;
  readonly creators: readonly string[];
  /** The last day on which rows were fetched, yyyy-mm-dd: no clock, so that exports are reproducible. */
  readonly date: string;
}

/** `CITATION.cff` in the Citation File Format 1.2. A JSON string is a YAML string, whatever it contains. */
export function citationFile({ title, description, creators, date }: ExportMetadata): string {
  return `cff-version: 1.2.0
message: If you use this dataset, please cite it.
type: dataset
title: ${JSON.stringify(title)}
abstract: ${JSON.stringify(description)}
authors:
${creators.map((name) => `  - name: ${JSON.stringify(name)}`).join("\n")}
date-released: ${JSON.stringify(date)}
references:
  - type: software
    title: archive-frames
    version: ${JSON.stringify(VERSION)}
    authors:
      - name: The authors of archive-frames
`;
}
