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

/**
 * Writes the result of an operation to a file. See {@link ArchiveClient.save}.
 *
 * @param isTemporary the caller passes the file on, so nobody will resume an unfinished run
 * @throws ValidationError before any request
 */
export async function saveOperation(
  client: ClientContext,
  operation: unknown,
  dest: unknown,
  given: SaveOptions,
  isTemporary = false,
): Promise<string> {
  const { name, plan, bounds, options } = checkSave(client, operation, given);
  return sinkScan(client, plan, bounds, outputPath(dest, name, options), options.resume, isTemporary);
}

/** The rows of an operation as JSON Lines, as the service sent them, page by page as they arrive. */
export function streamOperation(client: ClientContext, operation: unknown, given: SaveOptions): Chunks {
  const { plan, bounds } = checkSave(client, operation, given);
  return rowsAsSent(new ScanRun(client, plan, bounds).pages(), "jsonl");
}

function checkSave(client: ClientContext, operation: unknown, given: SaveOptions) {
  if (isPolarsFrame(operation)) throw faulty("operation", "it is a frame", "Give it to saveFrame(frame, path).");
  const options = withoutNulls(given);
  const name = operationNamed(operation);
  const own = ["paginate", "columns", "signal", "unchecked", ...(isSearch(name) ? ["maxItems"] : [])];
  const callOptions = [...SINK_OPTIONS, ...own];
  const { format: _format, ...rest } = options;
  const { maxItems, signal } = checkCall(name, undefined, rest, client.output, callOptions);
  const { paginate, columns } = options;
  const verbs = columns === undefined ? [] : [columnsVerb("select", nameList("columns", columns, "person", "text"))];
  const onePage = paginate !== undefined && !boolean("paginate", paginate);
  const isParameter = (key: string) => key in operations[name].parameters || key === "unchecked";
  const parameters = Object.fromEntries(Object.entries(rest).filter(([key]) => isParameter(key)));
  const bounds = { maxItems, maxPages: onePage ? 1 : undefined, signal, budget: undefined };
  return { name, plan: planScan({ operation: name, parameters, verbs }), bounds, options };
}
