import { checkCall } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import { boolean } from "../errors/validators.js";
import { outputPath } from "../files/outputPath.js";
import { operationNamed } from "../service/operations/operationNames.js";
import { isSearch, operations } from "../service/operations/operations.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { planScan } from "./scanPlan.js";
import { SINK_OPTIONS, type SinkOptions, sinkScan } from "./sinkScan.js";

/** Options of {@link ArchiveClient.save}, in addition to the parameters of the operation. */
export interface SaveOptions extends SinkOptions {
  /** Follow the cursor to the end, or to `maxItems`. `false` writes only the first page, in JSON exactly as it was sent. Default true. */
  paginate?: boolean | undefined;
  /** Rows to write at most; 0 writes a file without rows and sends no request. Default: all rows. */
  maxItems?: number | undefined;
  /** Send requests that the service is known to refuse, see {@link CallOptions}. Default false. */
  unchecked?: boolean | undefined;
  /** Aborts the run. The same call resumes it. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes the result of an operation to a file. See {@link ArchiveClient.save}.
 *
 * @throws ValidationError before any request
 */
export async function saveOperation(
  client: ClientContext,
  operation: unknown,
  dest: unknown,
  given: SaveOptions,
): Promise<string> {
  const options = withoutNulls(given);
  const name = operationNamed(operation);
  const callOptions = [...SINK_OPTIONS, "paginate", "signal", "unchecked", ...(isSearch(name) ? ["maxItems"] : [])];
  const { format: _format, ...rest } = options;
  const { maxItems, signal } = checkCall(name, undefined, rest, client.output, callOptions);
  const { paginate } = options;
  const onePage = paginate !== undefined && !boolean("paginate", paginate);
  const isParameter = (key: string) => key in operations[name].parameters || key === "unchecked";
  const parameters = Object.fromEntries(Object.entries(rest).filter(([key]) => isParameter(key)));
  const target = outputPath(dest, name, options);
  const bounds = {
    maxItems,
    maxPages: onePage ? 1 : undefined,
    signal,
    budget: undefined,
    engine: client.output.engine,
  };
  return sinkScan(client, planScan(name, parameters, [], false), bounds, target, options.resume);
}
