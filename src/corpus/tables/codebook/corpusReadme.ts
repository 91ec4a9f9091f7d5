import type { DescribedTable } from "./codebook.js";
import { codebookMarkdown } from "./codebookMarkdown.js";

/** The README of a corpus: how to read the tables, and the codebook. */
export function corpusReadme(tables: readonly DescribedTable[]): string {
  return `# A corpus of mentions

Mentions from an archive of television programs, found by many searches. The tables are Parquet files below \`tables/\`, and
\`mentions\` and \`hits\` have a file per month of \`begintime\` in UTC. \`datapackage.json\` has the SHA-256 of every file, \`corpus.json\` the
searches, and \`runs/\` what each run did.

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

${codebookMarkdown(tables)}
`;
}
