import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { warn } from "../../errors/warn.js";
import { damagedFiles, filesOf, readManifest } from "../publish/tableFiles.js";
import { type Database, sqlValue } from "./database.js";
import { TABLE_NAMES } from "./tables.js";

/**
 * Makes a lost database again from the published tables.
 *
 * @throws ArchiveError `FILE_ERROR` if their files do not belong together
 */
export async function restoreTables(database: Database): Promise<void> {
  const { dir } = database;
  const { runs } = await database.one<{ runs: number }>("select count(*)::int as runs from runs");
  if (runs > 0 || filesOf(dir, "windows").length === 0) return;
  const [damaged] = await damagedFiles(dir, readManifest(dir));
  if (damaged !== undefined)
    throw new ArchiveError(`${dir} has lost its database, and ${damaged} is not what was published.`, {
      code: "FILE_ERROR",
      hint: "Restore the files that corpus.verify() names, or delete tables/ to build the corpus again.",
      path: join(dir, damaged),
    });
  await database.transaction(async () => {
    for (const name of TABLE_NAMES) {
      const files = filesOf(dir, name).map((path) => sqlValue(join(dir, path)));
      const rows = `from read_parquet([${files.join(", ")}], hive_partitioning = false)`;
      if (name !== "searches" && files.length > 0) await database.run(`insert into ${name} by name (${rows})`);
    }
  });
  warn("CORPUS_RESTORED", `The database of ${dir} was missing. It was made again from the tables, without a request.`);
}
