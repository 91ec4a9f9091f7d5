import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import { ArchiveError } from "../errors/index.js";
import { show } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { toFileError } from "../fs/fileErrors.js";
import { PARTIAL } from "../fs/writeFileAtomic.js";
import { applyDefinition } from "./database/applyDefinition.js";
import { contentHash, Database, markDirty, sqlValue } from "./database/database.js";
import { TABLE_NAMES } from "./database/tables.js";
import { type Definition, readDefinition, writeDefinition } from "./definition/definition.js";
import { type Window, windowsOf } from "./definition/windows.js";
import { publishTables } from "./publish/publishTables.js";
import { damagedFiles, filesOf, readManifest } from "./publish/tableFiles.js";
import type { CorpusSummary } from "./run/runOptions.js";

/** A corpus while a run writes to it. */
export interface OpenCorpus {
  readonly database: Database;
  readonly definition: Definition;
  readonly windows: readonly Window[];
  /** The number of the run. */
  readonly run: number;
}

export type RunResult = Pick<CorpusSummary, "verdict" | "reason" | "requests" | "added" | "failed"> & {
  readonly failure: ArchiveError | undefined;
};
/** The changes of a run to mentions. */
type Changes = Pick<CorpusSummary, "added" | "changed" | "vanished" | "returned">;

/**
 * Runs an action that writes to a corpus, records it in `runs`, and publishes its changes, even after a failure.
 *
 * @param until a later last day for searches without one
 * @throws ArchiveError `TARGET_BUSY` if another run is writing; `OTHER_SERVICE`; the failure of the run
 */
export function withCorpus<T extends RunResult>(
  dir: string,
  client: ClientContext,
  verb: "plan" | "build" | "refresh",
  action: (corpus: OpenCorpus) => Promise<T>,
  until = "",
): Promise<Omit<T, "failure"> & Changes> {
  return withDatabase(dir, async (database) => {
    const existing = readDefinition(dir) as Definition;
    checkSource(existing, client, dir);
    const definition = until > existing.until ? { ...existing, until } : existing;
    if (definition !== existing) writeDefinition(dir, definition);
    await restoreDatabase(database);
    const windows = windowsOf(definition);
    const run = await beginRun(database, verb);
    await applyDefinition(database, windows, run);
    const corpus = { database, definition, windows, run };
    const { failure, ...result } = await action(corpus);
    const changes = await endRun(corpus, result).catch((error: unknown) => {
      throw failure?.advise(`Its changes were not published: ${show(error)}.`) ?? error;
    });
    if (failure !== undefined) throw failure;
    return { ...result, ...changes };
  });
}

/** Creates or changes the definition of a corpus, unless a run is writing to it. */
export function changeDefinition(dir: string, change: (existing: Definition | undefined) => Definition): Promise<void> {
  return withDatabase(dir, async () => writeDefinition(dir, change(readDefinition(dir))));
}

async function withDatabase<T>(dir: string, action: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.open(dir);
  try {
    // Left by a killed process, because the owner of the database is the only writer.
    for (const name of readdirSync(dir)) if (PARTIAL.test(name)) rmSync(join(dir, name));
    return await action(database);
  } catch (error) {
    throw toFileError(error, dir);
  } finally {
    database.close();
  }
}

/** Begins a run. Rows that a killed run committed but did not publish get the new number, because no loader has seen them. */
async function beginRun(database: Database, verb: string): Promise<number> {
  const { run } = await database.one<{ run: number }>("select coalesce(max(run), 0)::int + 1 as run from runs");
  const unpublished = `run = ${run - 1} and (exists (from dirty) or exists (from runs where verdict is null))`;
  await database.transaction(() =>
    database.run(`
      update mentions set run = ${run} where ${unpublished};
      update hits set run = ${run} where ${unpublished};
      update runs set verdict = 'killed' where verdict is null;
      insert into runs (run, began, verb, requests) values (${run}, ${sqlValue(new Date().toISOString())}, '${verb}', 0);`),
  );
  return run;
}

/** Records the result of a run, and publishes the tables. A mention that was changed and changed back does not count as changed. */
async function endRun({ database, definition, run }: OpenCorpus, result: Omit<RunResult, "failure">): Promise<Changes> {
  const { verdict, reason, requests, added } = result;
  const counts = await database.one<Omit<Changes, "added">>(`
    select count(*) filter (b.content <> ${contentHash("m")})::int as changed,
      count(*) filter (b.vanished is null and m.vanished is not null)::int as vanished,
      count(*) filter (b.vanished is not null and m.vanished is null)::int as returned
    from mentions_before b join mentions m using (id)`);
  const changes = { added, ...counts };
  const members = { ended: new Date().toISOString(), verdict, reason, requests, ...changes };
  const values = Object.entries(members).map(([name, value]) => `${name} = ${sqlValue(value)}`);
  await database.transaction(() =>
    database.run(`
      update runs set ${values.join(", ")} where run = ${run};
      ${markDirty(`from mentions where run = ${run} or id in (select id from hits where run = ${run})`)}`),
  );
  await publishTables(database, definition);
  return changes;
}

/** @throws ArchiveError `OTHER_SERVICE` for a corpus of another service */
export function checkSource(definition: Definition, { source }: Pick<ClientContext, "source">, dir: string): void {
  if (definition.source === source) return;
  const what = `The corpus ${dir} is of another service: ${show(definition.source)}, not ${show(source)}.`;
  const hint = "Give a client of that service, or another directory.";
  throw new ArchiveError(what, { code: "OTHER_SERVICE", hint });
}

/**
 * Restores a lost database from the published tables.
 *
 * @throws ArchiveError `FILE_ERROR` if their files do not belong together
 */
async function restoreDatabase(database: Database): Promise<void> {
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
