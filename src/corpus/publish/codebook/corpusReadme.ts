import { type DescribedColumn, type DescribedTable, labelsText } from "./describeTables.js";

/** The README of a corpus: how to read the tables, and the codebook. */
export function corpusReadme(tables: readonly DescribedTable[]): string {
  return `# A corpus of mentions

Mentions from an archive of television programs, found by many searches. The tables are Parquet files below \`tables/\`, and
\`mentions\` and \`hits\` have a file per month of \`begintime\` in UTC. \`datapackage.json\` has the SHA-256 of every file, \`corpus.json\` the
searches, and \`tables/runs\` what each run did.

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
between, they throw instead of mixing rows, and the read has to be repeated. That never happens in the directory that
\`corpus.freeze()\` returns.

A mention has \`first_seen\`, the day of the first response with it; \`changed\`, the day since when it has its present content; and
\`vanished\`, the day since when no search finds it. Searches overlap: \`hits\` has a row for every search that found a mention.

## Codebook

${tables.map(tableSection).join("\n\n")}
`;
}

const TABLE_NOTES: Readonly<Record<DescribedTable["name"], string>> = {
  mentions: "Every mention once.",
  hits: "Which search found which mention.",
  people: "The speakers, looked up by id.",
  programs: "The programs, looked up by id.",
  searches: "What was asked, and how it ended.",
  runs: "What each run did.",
};

function tableSection({ name, rows, columns }: DescribedTable): string {
  return [
    `### ${name}`,
    "",
    `${TABLE_NOTES[name]} ${rows.toLocaleString("en-US")} ${rows === 1 ? "row" : "rows"}.`,
    "",
    "| column | meaning | unit | type | missing | examples |",
    "|---|---|---|---|---|---|",
    ...columns.map(columnLine),
  ].join("\n");
}

function columnLine({ name, meaning, unit, dtype, nulls, examples, labels }: DescribedColumn): string {
  const note = labels.length === 0 ? meaning : `${meaning}: ${markdownText(labelsText(labels))}`;
  const missing = nulls === null ? "" : percentText(nulls);
  const cells = [markdownText(name), note, unit ?? "", dtype, missing, markdownText(examples.join("; "))];
  return `| ${cells.join(" | ")} |`;
}

/** Not rounded to 0 or 100 %: these say that no row, or every row, lacks the value. */
function percentText(share: number): string {
  if (share === 0 || share === 1) return `${100 * share} %`;
  const percent = Math.min(99.9, Math.max(0.1, 100 * share));
  return `${percent.toFixed(1)} %`;
}

/** Text of the service or of users as Markdown that shows it literally, on one line, for a cell of a table. */
function markdownText(text: string): string {
  return text
    .replace(CONTROLS, " ")
    .replace(/[\\`*_[\]|~$]/g, "\\$&")
    .replace(/[&<>]/g, (character) => ENTITIES[character] as string);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
