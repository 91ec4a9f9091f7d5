import { lstatSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileType } from "../fs/fileErrors.js";
import { removeTemporaryDirectory, temporaryDirectory } from "../fs/temporaryDirectory.js";
import { openDuckDB } from "../tables/openDuckDB.js";
import { escaped } from "../util/quoted.js";
import { sqlValue } from "./database/sqlText.js";
import { isLeftByFileManager, sha256OfFile } from "./files.js";
import { MANIFEST, readManifest, type TableFile } from "./publish/manifest.js";
import { tableOf } from "./publish/tableFiles.js";

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

const MAX_PROBLEMS = 1000;

/** See `corpus.verify`. The tables are read only from files whose checksums are right. */
export async function verifyCorpus(dir: string): Promise<CorpusCheck> {
  const problems: string[] = [];
  const manifest = readManifest(dir);
  if (manifest.length === 0)
    problems.push(`${MANIFEST} is missing or damaged. Build the corpus again: that writes it.`);
  const paths = new Set(manifest.map(({ path }) => path));
  checkEntries(dir, "tables", paths, problems);
  const intact: TableFile[] = [];
  for (const file of manifest) {
    const hash = await sha256OfFile(dir, file.path).catch(() => undefined);
    if (hash === file.hash) intact.push(file);
    else if (hash === undefined) problems.push(`${escaped(file.path, 300)} is missing or cannot be read.`);
    else problems.push(`${escaped(file.path, 300)} was changed after it was published.`);
  }
  // What is damaged says nothing of the other tables.
  const counts = problems.length === 0 ? await checkTables(dir, intact, problems) : { mentions: 0, hits: 0 };
  const ok = problems.length === 0;
  return { ok, files: manifest.length, ...counts, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Reports everything below a directory that is not part of a corpus. Links are not followed. */
function checkEntries(dir: string, path: string, known: ReadonlySet<string>, problems: string[]): void {
  const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
  if (stats === undefined || problems.length >= MAX_PROBLEMS) return;
  if (stats.isDirectory())
    for (const name of readdirSync(join(dir, path)).sort()) checkEntries(dir, `${path}/${name}`, known, problems);
  else if (!stats.isFile()) problems.push(`${escaped(path, 300)} is ${fileType(stats)}, not a file of this corpus.`);
  else if (!known.has(path) && !isLeftByFileManager(path.slice(path.lastIndexOf("/") + 1)))
    problems.push(`${escaped(path, 300)} is not part of the corpus.`);
}

/** What must not be in the tables. `month` is the name of a directory. */
const CHECKS: Readonly<Record<string, string>> = {
  "Mentions that are in the table twice": "select id from mentions group by id having count(*) > 1",
  "Hits that are in the table twice": "select search, id from hits group by all having count(*) > 1",
  "Hits without a mention, and mentions without a hit":
    "select id from hits h anti join mentions m using (id) union all select id from mentions m anti join hits h using (id)",
  "Mentions with other days than their hits": `select id from mentions m join (select id, if(count(vanished) = count(*), max(vanished), null) as day
      from hits group by id) h using (id) where m.vanished is distinct from h.day`,
  "Rows in the file of another month": `select id from (select id, begintime, filename from mentions union all
      select h.id, m.begintime, h.filename from hits h join mentions m using (id))
    where not contains(filename, coalesce(strftime(begintime, '/year=%Y/month=%m/'), '/year=__HIVE_DEFAULT_PARTITION__/month=__HIVE_DEFAULT_PARTITION__/'))`,
};

async function checkTables(dir: string, files: readonly TableFile[], problems: string[]) {
  const rows = { mentions: 0, hits: 0 };
  const directory = temporaryDirectory();
  const instance = await openDuckDB(directory, "512MB");
  const connection = await instance.connect();
  try {
    await connection.run(`set allowed_directories = [${[resolve(dir, "tables"), directory].map(sqlValue).join(", ")}];
      set enable_external_access = false; set lock_configuration = true`);
    for (const name of ["mentions", "hits"] as const) {
      const own = files.filter(({ path }) => tableOf(path) === name);
      if (own.length === 0) return rows;
      const paths = own.map(({ path }) => sqlValue(resolve(dir, path))).join(", ");
      await connection.run(
        `create view ${name} as from read_parquet([${paths}], filename = true, hive_partitioning = false)`,
      );
      rows[name] = Number((await connection.runAndReadAll(`select count(*) from ${name}`)).getRows()[0]?.[0]);
    }
    for (const [problem, query] of Object.entries(CHECKS)) {
      const count = Number((await connection.runAndReadAll(`select count(*) from (${query})`)).getRows()[0]?.[0]);
      if (count > 0) problems.push(`${problem}: ${count}.`);
    }
    return rows;
  } catch (error) {
    problems.push(`The tables cannot be read: ${escaped(String((error as Error).message).split("\n")[0] ?? "", 300)}`);
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
    removeTemporaryDirectory(directory);
  }
}
