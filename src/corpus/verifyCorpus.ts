import { join } from "node:path";
import { pl } from "../frames/polars.js";
import { scanParquetFiles } from "../frames/polarsPlan.js";
import { sql } from "../tables/sql.js";
import { escaped } from "../util/text.js";
import { damagedFiles, MANIFEST, readManifest, type TableFile, tableOf } from "./publish/tableFiles.js";

/**
 * What `corpus.verify()` found.
 *
 * @example
 * const { ok, problems } = await corpus.verify();
 */
export interface CorpusCheck {
  /** There is no problem. */
  readonly ok: boolean;
  /** Files compared with their checksums. */
  readonly files: number;
  /** Rows of the table of mentions. */
  readonly mentions: number;
  /** Rows of the table of hits. */
  readonly hits: number;
  /** A sentence for each problem. */
  readonly problems: readonly string[];
}

/** Queries for rows that the tables must not have. */
const CHECKS: Readonly<Record<string, string>> = {
  "Mentions that are in the table twice": "select id from mentions group by id having count(*) > 1",
  "Hits that are in the table twice": "select search, id from hits group by all having count(*) > 1",
  "Hits without a mention, and mentions without a hit": `select id from hits h anti join mentions m using (id)
    union all select id from mentions m anti join hits h using (id)`,
  "Mentions with other days than their hits": `select m.id from mentions m join (
      select id, if(count(vanished) = count(*), max(vanished), null) as day from hits group by id) h using (id)
    where m.vanished is distinct from h.day`,
  "Rows in the file of another month": `select id from (select id, begintime, file from mentions
      union all select h.id, m.begintime, h.file from hits h join mentions m using (id))
    where not contains(file, coalesce(strftime(begintime, '/year=%Y/month=%m/'), '/year=__HIVE_DEFAULT_PARTITION__/'))`,
};

/** See `corpus.verify`. */
export async function verifyCorpus(dir: string): Promise<CorpusCheck> {
  const files = readManifest(dir);
  const problems: string[] = [];
  let rows = { mentions: 0, hits: 0 };
  try {
    if (files.length === 0)
      problems.push(`${MANIFEST} is missing or damaged. The next build publishes all tables again.`);
    for (const path of await damagedFiles(dir, files))
      problems.push(
        `${escaped(path, 300)} is not what was published. Delete ${MANIFEST}: the next build publishes all tables again.`,
      );
    // Tables with damaged files are not read.
    if (problems.length === 0) rows = await checkTables(dir, files, problems);
  } catch (error) {
    problems.push(`The tables cannot be read: ${escaped(String((error as Error).message).split("\n")[0] ?? "", 300)}`);
  }
  return { ok: problems.length === 0, files: files.length, ...rows, problems };
}

async function checkTables(dir: string, files: readonly TableFile[], problems: string[]) {
  const scan = (name: "mentions" | "hits", ...columns: string[]) => {
    const paths = files.flatMap(({ path }) => (tableOf(path) === name ? [join(dir, path)] : []));
    return paths.length === 0
      ? undefined
      : scanParquetFiles(paths, "file").select(...columns.map((column) => pl.col(column)));
  };
  const mentions = scan("mentions", "id", "begintime", "vanished", "file");
  const hits = scan("hits", "search", "id", "vanished", "file");
  if (mentions === undefined || hits === undefined) return { mentions: 0, hits: 0 };
  const counts = Object.values(CHECKS).map((query, at) => `(select count(*) from (${query})) as problem${at}`);
  const query = `select (select count(*) from mentions) as mentions, (select count(*) from hits) as hits, ${counts.join(", ")}`;
  const [row = {}] = (await sql(query, { mentions, hits })).toRecords();
  for (const [at, problem] of Object.keys(CHECKS).entries())
    if (Number(row[`problem${at}`]) > 0) problems.push(`${problem}: ${row[`problem${at}`]}.`);
  return { mentions: Number(row.mentions), hits: Number(row.hits) };
}
