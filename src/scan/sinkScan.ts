import { join, resolve } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import { boolean } from "../errors/validators.js";
import { type WriterTarget, writeNewFile } from "../files/frameWriter.js";
import { type OutputPath, WRITE_OPTIONS, type WriteOptions } from "../files/outputPath.js";
import { declaredSchema, type TableSchema } from "../files/package/tableSchema.js";
import { bodiesAsSent, rowsAsSent } from "../files/rowsAsSent.js";
import { StagingDirectory } from "../files/stagingDirectory.js";
import { writeLazy, writeRows } from "../files/writeRows.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { operations } from "../service/operations/operations.js";
import type { RunBounds } from "./runScan.js";
import { ScanRun } from "./runScan.js";
import type { ScanPlan } from "./scanPlan.js";
import { UnfinishedSave } from "./unfinishedSave.js";

/** Options for writing a result to a file. */
export interface SinkOptions extends WriteOptions {
  /**
   * `true` resumes an unfinished run of the same search to the same file, `false` starts over. Default: resume if it is less than a day
   * old.
   */
  resume?: boolean | undefined;
}

export const SINK_OPTIONS: readonly string[] = [...WRITE_OPTIONS, "resume"];

/**
 * Runs a plan and writes the rows to a file. Every response is stored before it is used, so a stopped run resumes without repeating a
 * request.
 *
 * @param isTemporary nobody will resume the run
 * @returns the path of the file
 * @throws ArchiveError that says how many rows are saved and what to type
 */
export async function sinkScan(
  client: ClientContext,
  plan: ScanPlan,
  bounds: RunBounds,
  target: OutputPath,
  resume: unknown,
  isTemporary = false,
): Promise<string> {
  const mayResume = resume === undefined ? undefined : boolean("resume", resume);
  const staging = new StagingDirectory(target);
  let saved: UnfinishedSave | undefined;
  let run: ScanRun | undefined;
  try {
    saved = new UnfinishedSave(client, staging.responses, searchOf(client, plan, bounds), mayResume);
    const output = staging.writerTarget();
    const resumed = { ...bounds, resumed: saved.pages || undefined };
    run = new ScanRun({ ...client, requester: saved.requester }, plan, resumed, output.scratch);
    const schema = await write(run, staging, output);
    saved.close();
    await staging.publish(schema, run.provenance);
    return target.path;
  } catch (error) {
    const fileError = staging.toError(error);
    saved?.close();
    if (saved !== undefined && saved.pages > 0 && !isTemporary) {
      const rows = (run?.provenance.rows ?? 0).toLocaleString("en-US");
      const given = `${target.path}.partial`;
      // Links lead elsewhere.
      const directory = resolve(given) === resolve(staging.path) ? given : staging.path;
      const next = ["CURSOR_CIRCLES", "UNKNOWN_CURSOR"].includes(fileError.code)
        ? "false } to start over"
        : "true } to continue";
      throw fileError.advise(`${rows} rows are saved in ${directory}. Repeat the call with { resume: ${next}.`);
    }
    if (saved !== undefined) staging.remove();
    throw fileError;
  } finally {
    staging.release();
  }
}

/** @returns the schema of the file; undefined for a body written as sent */
async function write(run: ScanRun, staging: StagingDirectory, output: WriterTarget): Promise<TableSchema | undefined> {
  const { format } = staging.output;
  const { plan, bounds } = run;
  const hasNoVerbs = plan.streamed.length === 0 && plan.gathered.length === 0;
  if (hasNoVerbs && format === "json" && bounds.maxPages === 1) {
    await writeNewFile(bodiesAsSent(run.pages()), output);
    return undefined;
  }
  if (hasNoVerbs && (format === "json" || format === "jsonl")) {
    await writeNewFile(rowsAsSent(run.pages(), format), output);
    return declaredSchema(new FrameBuilder(operations[plan.request.operation].columns).take());
  }
  const files = await run.files((rows) => writeLazy(rows, join(output.scratch, "result.arrow")));
  return writeRows(files, output, staging.output, run.provenance);
}

/** Identifies the search of an unfinished save. `maxItems` is not part of it, so a run can resume with another value. */
function searchOf({ source, output }: ClientContext, { request }: ScanPlan, { maxPages }: RunBounds) {
  const { operation, path, query } = request;
  const parameters = Object.fromEntries(query);
  return { operation, path, parameters, source, pageSize: output.pageSize.chosen, maxPages };
}
