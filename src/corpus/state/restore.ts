import { join } from "node:path";
import { isObject } from "../../util/isObject.js";
import type { Definition } from "../definition/definition.js";
import { windowOf } from "../definition/windows.js";
import { filesOf, readIndex } from "../publish/tableFiles.js";
import { type CorpusState, type LandedWindow, windowRow } from "./corpusState.js";
import { identifier, literal } from "./sqlText.js";

type Schema = "main" | "other";

/**
 * Makes the state of a corpus from its published tables: all but journals, and what an open round has asked again.
 *
 * @param dir the corpus with the tables
 * @param schema the schema to fill: `other` for a corpus that is taken over
 * @returns whether there were tables
 */
export async function restoreState(
  state: CorpusState,
  dir: string,
  definition: Definition,
  schema: Schema = "main",
): Promise<boolean> {
  const { database } = state;
  const source = (name: Parameters<typeof filesOf>[1]) => {
    const files = filesOf(dir, name).map((path) => literal(join(dir, path)));
    return files.length === 0
      ? undefined
      : `read_parquet([${files.join(", ")}], union_by_name = true, hive_partitioning = false)`;
  };
  const [mentions, hits, searches] = [source("mentions"), source("hits"), source("searches")];
  if (mentions === undefined || hits === undefined || searches === undefined) return false;
  if (schema === "other")
    await database.run(`create schema if not exists other;
      create or replace table other.windows as from main.windows limit 0; create or replace table other.hits as from main.hits limit 0;`);
  await database.transaction(async () => {
    await database.run(`drop table if exists ${schema}.mentions; create table ${schema}.mentions as from ${mentions};
      insert into ${schema}.hits by name (select search, span, id, first_seen, vanished, round from ${hits});
      delete from ${schema}.hits where id not in (select id from ${schema}.mentions);
      delete from ${schema}.mentions where id not in (select id from ${schema}.hits);`);
    const rows = await database.rows<Record<string, string | number | null>>(
      `select search, span, mindate::varchar as mindate, maxdate::varchar as maxdate, rows::int as rows, reason, requests::int as requests, began::varchar as began,
        retrieved::varchar as retrieved, without_id::int as "withoutId", repeated_ids::int as "repeatedIds", round from ${searches} where retrieved is not null`,
    );
    const byId = new Map(definition.searches.map((search) => [search.id, search]));
    const landed = rows.flatMap((row): LandedWindow[] => {
      const search = byId.get(String(row.search));
      if (search === undefined) return [];
      const window = windowOf(search, String(row.span), day(row.mindate), day(row.maxdate));
      return [{ ...(row as unknown as LandedWindow), key: window.key, sha: null }];
    });
    await database.insert(`${schema}.windows`, landed.map(windowRow));
    for (const name of ["people", "programs"] as const) {
      const table = source(name);
      if (table !== undefined)
        await database.run(`create or replace table ${schema}.${identifier(name)} as from ${table}`);
    }
    if (schema === "other") return;
    const index = readIndex(dir);
    const last = Math.max(0, ...landed.map(({ round }) => round), ...(isObject(index) ? [index.round] : []));
    await database.run(
      `delete from rounds; insert into rounds select ${last}, coalesce(max(retrieved), current_date), true from windows`,
    );
    const runs = source("runs");
    if (runs !== undefined) await database.run(`insert into runs by name (from ${runs})`);
  });
  await state.load();
  return true;
}

function day(value: string | number | null | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
