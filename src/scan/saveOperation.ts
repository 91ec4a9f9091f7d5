import type { ClientContext } from "../call/clientContext.js";
import { checkCall } from "../call/execution.js";
import { boolean, faulty, nameList } from "../errors/validators.js";
import { outputPath } from "../files/outputPath.js";
import { type Chunks, rowsAsSent } from "../files/writeRows.js";
import { isPolarsFrame } from "../frames/engine.js";
import { isSearch, operationNamed, operations } from "../service/operations/operations.js";
import { withoutNulls } from "../util/objects.js";
import { ScanRun } from "./runScan.js";
import { planScan } from "./scanPlan.js";
import { SINK_OPTIONS, type SinkOptions, sinkScan } from "./sinkScan.js";
import { columnsVerb } from "./verbs.js";

/** Options of {@link ArchiveClient.save}, in addition to the parameters of the operation. */
export interface SaveOptions extends SinkOptions {
  /** Follow the cursor to the end or to `maxItems`. `false` writes only the first page, in JSON exactly as sent. Default: true. */
  paginate?: boolean | undefined;
  /** Rows at most; 0 writes a file without rows. Default: all rows. */
  maxItems?: number | undefined;
  /** The columns to write, in this order. Default: all. */
  columns?: readonly string[] | undefined;
  /** As in {@link CallOptions}. Default false. */
  unchecked?: boolean | undefined;
  /** Aborts the run. The same call resumes it. */
  signal?: AbortSignal | undefined;
}

const OPTIONS: readonly string[] = [...SINK_OPTIONS, "paginate", "columns", "signal", "unchecked"];

/**
 * Writes the result of an operation to a file. See {@link ArchiveClient.save}.
 *
 * @param isTemporary the caller removes the file, so an unfinished run is not resumed
 * @throws ValidationError before any request
 */
export async function saveOperation(
  client: ClientContext,
  operation: unknown,
  dest: unknown,
  saveOptions: SaveOptions,
  isTemporary = false,
): Promise<string> {
  const { name, plan, bounds, options } = checkSave(client, operation, saveOptions);
  return sinkScan(client, plan, bounds, outputPath(dest, name, options), options.resume, isTemporary);
}

/** The rows of an operation as JSON Lines, as the service sent them, page by page as they arrive. */
export function streamOperation(client: ClientContext, operation: unknown, saveOptions: SaveOptions): Chunks {
  const { plan, bounds } = checkSave(client, operation, saveOptions);
  return rowsAsSent(new ScanRun(client, plan, bounds).pages(), "jsonl");
}

function checkSave(client: ClientContext, operation: unknown, saveOptions: SaveOptions) {
  if (isPolarsFrame(operation)) throw faulty("operation", "it is a frame", "Give it to saveFrame(frame, path).");
  const options = withoutNulls(saveOptions);
  const name = operationNamed(operation);
  const names = isSearch(name) ? [...OPTIONS, "maxItems"] : OPTIONS;
  const { format: _fileFormat, ...callOptions } = options;
  const { maxItems, signal } = checkCall(name, undefined, callOptions, client.output, names);
  const { paginate, columns } = options;
  const verbs = columns === undefined ? [] : [columnsVerb("select", nameList("columns", columns, "person", "text"))];
  const isOnePage = paginate !== undefined && !boolean("paginate", paginate);
  const isParameter = (key: string) => key in operations[name].parameters || key === "unchecked";
  const parameters = Object.fromEntries(Object.entries(callOptions).filter(([key]) => isParameter(key)));
  const bounds = { maxItems, maxPages: isOnePage ? 1 : undefined, signal, budget: undefined };
  return { name, plan: planScan({ operation: name, parameters, verbs }), bounds, options };
}
