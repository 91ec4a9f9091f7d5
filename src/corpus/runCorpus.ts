import { join } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import { ArchiveError } from "../errors/index.js";
import { show } from "../errors/validators.js";
import { processLock } from "../fs/processLock.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { VERSION } from "../util/version.js";
import { CorpusRun } from "./corpusRun.js";
import { checkDirectory } from "./definition/checkDirectory.js";
import type { Definition } from "./definition/definition.js";
import { readDefinition } from "./definition/definitionFile.js";
import { rowsOfTables } from "./rowsOfTables.js";
import type { CheckedRunOptions } from "./runOptions.js";
import type { CorpusSummary } from "./summary.js";
import { lookUp } from "./work/lookUp.js";
import { WorkDirectory } from "./work/workDirectory.js";

/**
 * Runs over the units of a corpus and looks up what its mentions refer to. One run at a time can write to a corpus.
 *
 * @param prepare changes the definition before the run, for a refresh
 * @throws FileError `TARGET_BUSY` if another run is writing; ArchiveError of the first failure
 */
export async function runCorpus(
  dir: string,
  client: ClientContext,
  verb: "build" | "refresh",
  options: CheckedRunOptions,
  prepare: (definition: Definition) => Definition = (definition) => definition,
): Promise<CorpusSummary> {
  checkDirectory(dir);
  const unlock = processLock(join(dir, ".lock"), dir);
  try {
    const began = new Date();
    const work = new WorkDirectory(dir);
    work.clean();
    const definition = prepare(checkSource(readDefinition(dir) as Definition, client, dir));
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
    const record = {
      verb,
      version: VERSION,
      source: client.source,
      began: began.toISOString(),
      ended: new Date().toISOString(),
      summary,
    };
    writeFileAtomic(join(dir, "runs", `${fileTime(began)}.json`), `${JSON.stringify(record, null, 2)}\n`);
    if (failure !== undefined) throw failure;
    return summary;
  } finally {
    unlock();
  }
}

/** @throws ArchiveError `OTHER_SERVICE` for a corpus of another service */
export function checkSource(definition: Definition, { source }: ClientContext, dir: string): Definition {
  if (definition.source === source) return definition;
  throw new ArchiveError(`The corpus ${dir} is of another service: ${show(definition.source)}, not ${show(source)}.`, {
    code: "OTHER_SERVICE",
    hint: "Give a client of that service, or another directory.",
  });
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
