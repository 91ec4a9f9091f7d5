import { checkCall } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import { boolean } from "../errors/validators.js";
import { outputPath } from "../files/outputPath.js";
import { operationNamed } from "../service/operations/operationNames.js";
import { isSearch, operations } from "../service/operations/operations.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { planScan } from "./scanPlan.js";
import { SINK_OPTIONS, type SinkOptions, sinkScan } from "./sinkScan.js";

/** Options of `archive.save`, besides the parameters of the operation. */
export interface SaveOptions extends SinkOptions {
  /** Follow the cursor to the end, or to `maxItems`. `false`: the first page only, in JSON exactly as it was sent. Default true. */
  paginate?: boolean | undefined;
  /** Write so many rows at most; 0 writes a file without rows and asks for nothing. */
  maxItems?: number | undefined;
  /** Send what the service is known to refuse, see `CallOptions`. Default false. */
  unchecked?: boolean | undefined;
  /** Stops the run; the same call goes on from there. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes the result of an operation to a file; what `archive.save` does.
 *
 * @throws ValidationError before anything is asked
 */
export async function saveOperation(
  client: ClientContext,
  operation: unknown,
  dest: unknown,
  given: SaveOptions,
): Promise<string> {
  const options = withoutNulls(given);
  const name = operationNamed(operation);
  const further = [...SINK_OPTIONS, "paginate", "signal", "unchecked", ...(isSearch(name) ? ["maxItems"] : [])];
  const { format: _format, ...rest } = options;
  const { maxItems, signal } = checkCall(name, undefined, rest, client.output, further);
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
