import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import { ArchiveError } from "../errors/index.js";
import { boolean } from "../errors/validators.js";
import { type WriterTarget, writeNewFile } from "../files/frameWriter.js";
import { type OutputPath, WRITE_OPTIONS, type WriteOptions } from "../files/outputPath.js";
import { sentRowsSchema, type TableSchema } from "../files/package/tableSchema.js";
import { StagingDirectory } from "../files/stagingDirectory.js";
import { bodiesAsSent, rowsAsSent, writeLazy, writeRows } from "../files/writeRows.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { ResponseStore, type StoreOptions } from "../responses/store.js";
import { storedRequester } from "../responses/storedRequester.js";
import type { Requester } from "../service/http/requester.js";
import { operations } from "../service/operations/operations.js";
import { DAY } from "../util/period.js";
import { escaped } from "../util/text.js";
import { type RunBounds, ScanRun } from "./runScan.js";
import type { ScanPlan } from "./scanPlan.js";

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
 * @param isTemporary the caller removes the file, so an unfinished run is not resumed
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
  let unfinished: UnfinishedSave | undefined;
  let run: ScanRun | undefined;
  try {
    unfinished = new UnfinishedSave(client, staging.responses, searchOf(client, plan, bounds), mayResume);
    const output = staging.writerTarget();
    const resumedBounds = { ...bounds, resumed: unfinished.pages || undefined };
    run = new ScanRun({ ...client, requester: unfinished.requester }, plan, resumedBounds, output.scratch);
    const schema = await write(run, staging, output);
    unfinished.close();
    await staging.publish(schema, run.provenance);
    return target.path;
  } catch (error) {
    const fileError = staging.toError(error);
    unfinished?.close();
    if (unfinished !== undefined && unfinished.pages > 0 && !isTemporary) {
      const rows = (run?.provenance.rows ?? 0).toLocaleString("en-US");
      const path = `${target.path}.partial`;
      // The path as the user wrote it, unless a symbolic link leads elsewhere.
      const directory = resolve(path) === resolve(staging.path) ? path : staging.path;
      const next = ["CURSOR_CIRCLES", "UNKNOWN_CURSOR"].includes(fileError.code)
        ? "false } to start over"
        : "true } to continue";
      throw fileError.advise(`${rows} rows are saved in ${directory}. Repeat the call with { resume: ${next}.`);
    }
    if (unfinished !== undefined) staging.remove();
    throw fileError;
  } finally {
    staging.release();
  }
}

/** @returns the schema of the file; undefined for a body written as sent */
async function write(run: ScanRun, staging: StagingDirectory, output: WriterTarget): Promise<TableSchema | undefined> {
  const { format } = staging.output;
  const { plan, bounds } = run;
  const hasNoVerbs = plan.pageVerbs.length === 0 && plan.allRowsVerbs.length === 0;
  if (hasNoVerbs && format === "json" && bounds.maxPages === 1) {
    await writeNewFile(bodiesAsSent(run.pages()), output);
    return undefined;
  }
  if (hasNoVerbs && (format === "json" || format === "jsonl")) {
    await writeNewFile(rowsAsSent(run.pages(), format), output);
    return sentRowsSchema(new FrameBuilder(operations[plan.request.operation].columns).take());
  }
  const files = await run.files((rows) => writeLazy(rows, join(output.scratch, "result.arrow")));
  return writeRows(files, output, staging.output, run.provenance);
}

/** Identifies the search of an unfinished save. A run may resume with another `maxItems`, so it is not included. */
function searchOf({ source, output }: ClientContext, { request }: ScanPlan, { maxPages }: RunBounds) {
  const { operation, path, query } = request;
  const parameters = Object.fromEntries(query);
  return { operation, path, parameters, source, pageSize: output.pageSize.userRows, maxPages };
}

/** The responses to an unfinished save. Each is stored before it is used, so that the same call resumes without repeating requests. */
class UnfinishedSave {
  readonly requester: Requester;
  readonly #store: ResponseStore;

  /**
   * @param search what identifies the search
   * @param resume true: resume; false: start over; undefined: resume if less than a day old
   */
  constructor(client: ClientContext, dir: string, search: object, resume: boolean | undefined) {
    const source = JSON.stringify(search);
    const options: StoreOptions = { kind: "save", service: { source, baseUrl: client.baseUrl } };
    let store = new ResponseStore(dir, options);
    const latest = store.responses.reduce((newest, { receivedAt }) => (receivedAt > newest ? receivedAt : newest), "");
    if (latest !== "" && resume !== false && store.latestService?.source !== source)
      throw otherSearch(dir, `${store.latestService?.source}`);
    // One that is older than a day is resumed only with `resume: true`.
    if (!(resume ?? Math.abs(Date.now() - Date.parse(latest)) <= DAY)) {
      rmSync(dir, { recursive: true, force: true });
      store = new ResponseStore(dir, options);
    }
    this.#store = store;
    this.requester = storedRequester(store, client.requester, client.redact);
  }

  get pages(): number {
    return new Set(this.#store.responses.map(({ get: request }) => request)).size;
  }

  close(): void {
    this.#store.isClosed = true;
  }
}

function otherSearch(path: string, search: string): ArchiveError {
  return new ArchiveError(`${path} contains an unfinished download of another search: ${escaped(search, 300)}.`, {
    code: "OTHER_SEARCH",
    hint: "Finish it with its own call, write to another path, or discard it with { resume: false }.",
    path,
  });
}
