import { join } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import { ArchiveError } from "../errors/index.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { VERSION } from "../util/version.js";
import { CorpusRun } from "./corpusRun.js";
import type { Definition } from "./definition/definition.js";
import { writeDefinition } from "./definition/definitionFile.js";
import { today } from "./definition/today.js";
import { unitsOf } from "./definition/units.js";
import { beginRefresh } from "./refresh.js";
import { rowsOfTables } from "./rowsOfTables.js";
import type { CheckedRunOptions } from "./runOptions.js";
import type { CorpusSummary } from "./summary.js";
import { publishPackage } from "./tables/publishPackage.js";
import { readTable } from "./tables/table.js";
import { withCorpusLock } from "./withCorpusLock.js";
import { lookUp } from "./work/lookUp.js";
import { RefreshedIds } from "./work/refreshedIds.js";
import { readRecords } from "./work/unitRecords.js";
import { vanishedAtBorders } from "./work/vanishedAtBorders.js";
import type { WorkDirectory } from "./work/workDirectory.js";

/**
 * Runs over the units of a corpus and looks up what its mentions refer to. One run at a time can write to a corpus.
 *
 * @param lag days, for a refresh; undefined for a build
 * @throws FileError `TARGET_BUSY` if another run is writing; ArchiveError of the first failure
 */
export async function runCorpus(
  dir: string,
  client: ClientContext,
  options: CheckedRunOptions,
  lag?: number,
): Promise<CorpusSummary> {
  return withCorpusLock(dir, client, async (before, work) => {
    const began = new Date();
    const until = client.recorded?.last ?? today();
    const definition = lag === undefined ? before : await refreshed(dir, work, before, lag, until);
    const run = new CorpusRun(dir, client, work, definition, options);
    let failure: unknown;
    let isCapped = false;
    try {
      await run.run();
      for (const table of run.definition.lookups) isCapped = !(await lookUp(table, run)) || isCapped;
    } catch (error) {
      failure = error;
    }
    run.end(failure);
    const summary = await summaryOf(run, isCapped, failure);
    const times = { began: began.toISOString(), ended: new Date().toISOString() };
    const verb = lag === undefined ? "build" : "refresh";
    const record = { verb, version: VERSION, source: client.source, ...times, summary };
    writeFileAtomic(join(dir, "runs", `${fileTime(began)}.json`), `${JSON.stringify(record, null, 2)}\n`);
    await publishPackage(dir);
    if (failure !== undefined) throw failure;
    return summary;
  });
}

/** The definition with what a refresh has to do, on disk: a refresh that is killed goes on. */
async function refreshed(
  dir: string,
  work: WorkDirectory,
  before: Definition,
  lag: number,
  until: string,
): Promise<Definition> {
  const records = readRecords(readTable(dir, "searches"));
  const definition = beginRefresh(before, records, lag, until);
  const ids = new RefreshedIds(work.path);
  if (ids.isOpen && Object.keys(before.pending).length === 0) {
    // The last refresh was killed at its very end.
    await vanishedAtBorders(dir, unitsOf(before), ids, records);
    ids.end();
  }
  ids.begin();
  writeDefinition(dir, definition);
  return definition;
}

async function summaryOf(run: CorpusRun, isCapped: boolean, failure: unknown): Promise<CorpusSummary> {
  const missing = run.missing.length;
  const total = run.units.length;
  const reason = failure === undefined ? (missing > 0 || isCapped ? "maxRequests" : null) : codeOf(failure);
  const verdict = failure !== undefined ? "stopped" : reason === null ? "complete" : "capped";
  const { requests } = run;
  const windows = { done: total - missing, total };
  return { verdict, reason, requests, windows, ...(await rowsOfTables(run.dir)), ...run.changes };
}

function codeOf(error: unknown): string {
  return error instanceof ArchiveError ? error.code : "UNKNOWN";
}

/** A time as the name of a file: `2026-11-23T001502.123Z`. */
function fileTime(time: Date): string {
  return time.toISOString().replaceAll(":", "");
}
