import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { warn } from "../../errors/warn.js";
import { damagedFiles, filesOf } from "../publish/tableFiles.js";
import type { Database } from "./database.js";
import { markDirty } from "./months.js";
import { identifier, sqlValue } from "./sqlText.js";
import { columnsOf, TABLE_NAMES } from "./tables.js";

/**
 * Makes a lost database again from the published tables. If their files do not belong together, because a run was killed while it
 * published them, every window is fetched again.
 */
export async function restoreTables(database: Database): Promise<void> {
  const { dir } = database;
  const { runs } = await database.one<{ runs: number }>("select count(*)::int as runs from runs");
  if (runs > 0 || filesOf(dir, "windows").length === 0) return;
  const isConsistent = (await damagedFiles(dir)).length === 0;
  const keys = { mentions: "id", hits: "search, id" } as const;
  try {
    await database.transaction(async () => {
      for (const name of TABLE_NAMES) {
        const files = filesOf(dir, name).map((path) => sqlValue(join(dir, path)));
        if (name === "searches" || files.length === 0) continue;
        const columns = Object.keys(columnsOf(name)).map(identifier).join(", ");
        const key = keys[name as keyof typeof keys];
        const once =
          isConsistent || key === undefined
            ? ""
            : ` qualify row_number() over (partition by ${key} order by run desc) = 1`;
        await database.run(
          `insert into ${name} by name (select ${columns} from read_parquet([${files.join(", ")}], hive_partitioning = false)${once})`,
        );
      }
      if (!isConsistent)
        await database.run(`update windows set due = true; ${markDirty("from mentions")}
          delete from hits where id not in (select id from mentions); delete from mentions where id not in (select id from hits)`);
    });
  } catch (cause) {
    const hint = "Restore the files that corpus.verify() names, or delete them: their windows are fetched again.";
    const what = `the tables of ${dir} cannot be read: ${(cause as Error).message}`;
    throw new ArchiveError(what, { code: "FILE_ERROR", hint, path: dir, cause });
  }
  const again = isConsistent ? "" : " They do not belong together, so every window is fetched again.";
  warn("CORPUS_RESTORED", `The database of ${dir} was missing. It was made again from the tables.${again}`);
}
