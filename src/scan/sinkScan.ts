import type { ClientContext } from "../call/clientContext.js";
import { withResumed } from "../call/progress.js";
import type { AnyHarvest } from "../errors/index.js";
import { boolean } from "../errors/validators.js";
import { Journal } from "../files/journal.js";
import { type OutputPath, WRITE_OPTIONS, type WriteOptions } from "../files/outputPath.js";
import { fileProvenance } from "../files/package/fileProvenance.js";
import { declaredSchema, type TableSchema, tableSchema } from "../files/package/tableSchema.js";
import { openWriter, sinkFrames } from "../files/sinkFrames.js";
import { sinkBody, sinkRows } from "../files/sinkRows.js";
import { StagingDirectory } from "../files/stagingDirectory.js";
import { withJournal } from "../files/withJournal.js";
import { operations } from "../service/operations/operations.js";
import { isReadable } from "../service/paging/page.js";
import type { RunBounds } from "./rowSource.js";
import { ScanRun } from "./runScan.js";
import type { ScanPlan } from "./scanPlan.js";

/** Options of a result that goes to a file, besides what bounds it. */
export interface SinkOptions extends WriteOptions {
  /**
   * What becomes of an unfinished harvest of the same search to the same target. `true` goes on with it, `false` begins
   * anew. Default: goes on where it is less than a day old.
   */
  resume?: boolean | undefined;
}

/** The names of the options of a sink. */
export const SINK_OPTIONS: readonly string[] = [...WRITE_OPTIONS, "resume"];

/** Rows of a frame on its way to a file. */
const FRAME_ROWS = 10_000;

/**
 * Runs a plan into a file. Every answer of the service is in the journal before it is used, so whatever stops the run, the
 * next one asks for nothing twice. Columns and types are those of all rows: where a late row changes them, the file is
 * written a second time from the journal.
 *
 * @returns the path of the file
 * @throws ArchiveError that says how many rows are safe and what to type
 */
export async function sinkScan(
  client: ClientContext,
  plan: ScanPlan,
  bounds: RunBounds,
  target: OutputPath,
  resume: unknown,
): Promise<string> {
  const goOn = resume === undefined ? undefined : boolean("resume", resume);
  const folder = new StagingDirectory(target);
  let journal: Journal | undefined;
  let harvest: AnyHarvest | undefined;
  const remember = (last: AnyHarvest) => {
    harvest = last;
    client.remember(last);
  };
  try {
    journal = new Journal(folder.journal, searchOf(client, plan, bounds), goOn);
    const requester = withJournal(client.requester, journal, target.path);
    const output = { ...client.output, progress: withResumed(client.output.progress, journal.pages) };
    const run = new ScanRun({ ...client, requester, remember, output }, plan, bounds);
    const quiet = { ...client, requester, remember: () => undefined, output: { ...client.output, progress: false } };
    const schema = await write(run, () => new ScanRun(quiet, plan, bounds, run.flags), target, folder);
    journal.close();
    await folder.publish(schema, run.provenance);
    return target.path;
  } catch (error) {
    const fault = folder.fault(error);
    if (fault.code === "BODY_NOT_JSON" || fault.code === "UNEXPECTED_BODY") {
      journal?.keepWhile((response) => isReadable(response, plan.request));
    } else if (fault.code === "CURSOR_CIRCLES") {
      // Nothing is in the pages that repeated others; the service may give other ones next time.
      let good = harvest?.pages ?? 0;
      journal?.keepWhile(() => good-- > 0);
    }
    journal?.close();
    const pages = journal?.pages ?? 0;
    if (pages > 0) throw fault.advise(advice(harvest, folder));
    if (journal !== undefined) folder.remove();
    throw fault;
  } finally {
    folder.leave();
  }
}

/**
 * Writes the rows of a run.
 *
 * @param again the same run, whose frames have the columns and types of the whole
 * @returns the schema of the file; undefined for a body as it was sent
 */
async function write(
  run: ScanRun,
  again: () => ScanRun,
  target: OutputPath,
  folder: StagingDirectory,
): Promise<TableSchema | undefined> {
  const { format, formatOptions } = target;
  const { plan, bounds } = run;
  const asSent = plan.streamed.length === 0 && plan.gathered.length === 0;
  if (asSent && format === "json" && bounds.maxPages === 1) {
    await sinkBody(run.pages(), folder.output().path);
    return undefined;
  }
  if (asSent && (format === "json" || format === "jsonl")) {
    await sinkRows(run.pages(), folder.output().path, format);
    return declaredSchema(operations[plan.request.operation].columns);
  }
  const note = () => JSON.stringify(fileProvenance(run.provenance));
  const open = () => openWriter({ ...folder.output(), note }, format, formatOptions);
  const schema =
    (await sinkFrames(run.finalBatches(FRAME_ROWS), open)) ??
    (await sinkFrames(again().finalBatches(FRAME_ROWS), open));
  return schema && tableSchema(schema.columns, schema.dtypes, target);
}

/** What is asked, for telling one search from another. With another `maxItems` it is the same one. */
function searchOf({ source, output }: ClientContext, { request }: ScanPlan, { maxPages }: RunBounds) {
  const { operation, path, query } = request;
  const parameters = Object.fromEntries(query);
  return { operation, path, parameters, source, pageSize: output.pageSize, maxPages };
}

function advice(harvest: AnyHarvest | undefined, { path }: StagingDirectory): string {
  const rows = (harvest?.rows ?? 0).toLocaleString("en-US");
  return `${rows} rows are safe in ${path}: the same call again, with { resume: true }, goes on from there.`;
}
