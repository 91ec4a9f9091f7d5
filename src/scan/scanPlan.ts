import { isSearch, type OperationName } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { type Pushdown, pushdown } from "./pushdown.js";
import type { Step } from "./step.js";

/** How a scan will run. */
export interface ScanPlan {
  /** The first request, with what the service takes over. */
  readonly request: ArchiveRequest;
  readonly pushed: Pushdown;
  /** Verbs that run page by page, in order. */
  readonly streamed: readonly Step[];
  /** Verbs that run when everything is there; empty where the rows are the answer as they come. */
  readonly gathered: readonly Step[];
  /** Rows of the service that are enough, where a slice comes before any filter. */
  readonly rowsNeeded: number | undefined;
  /** How many rows are enough is only seen while they come: no page is asked for before its turn. */
  readonly mayEndEarly: boolean;
  /** Columns of the service whose values decide what the streamed verbs do: their types must not change on the way. */
  readonly reads: ReadonlySet<string> | "all";
}

/** Plans a scan: what goes to the service, what runs page by page, what gathers. */
export function scanPlan(
  operation: OperationName,
  parameters: Readonly<Record<string, unknown>>,
  steps: readonly Step[],
  usePushdown: boolean,
): ScanPlan {
  const pushed = usePushdown && isSearch(operation) ? pushdown(operation, parameters, steps) : { parameters: {} };
  const firstGather = steps.findIndex(({ kind }) => kind === "gather");
  const streamed = firstGather < 0 ? steps : steps.slice(0, firstGather);
  const filtered = streamed.findIndex(({ terms }) => terms !== undefined);
  const unfiltered = filtered < 0 ? streamed : streamed.slice(0, filtered);
  const slices = unfiltered.flatMap(({ slice }) => (slice === undefined ? [] : [slice]));
  const needed = slices.length === 0 ? undefined : enough(slices);
  const countsFiltered = filtered >= 0 && streamed.slice(filtered).some(({ slice }) => slice !== undefined);
  return {
    request: buildRequest(operation, { ...parameters, ...pushed.parameters }),
    pushed,
    streamed,
    gathered: firstGather < 0 ? [] : steps.slice(firstGather),
    // The number of rows goes to the service as well; none needs no request.
    rowsNeeded: usePushdown || needed === 0 ? needed : undefined,
    mayEndEarly: pushed.stop !== undefined || countsFiltered || (!usePushdown && needed !== undefined),
    reads: readsOf(streamed),
  };
}

/** The columns of the service that verbs read, under the names that the service gives them. */
function readsOf(steps: readonly Step[]): ReadonlySet<string> | "all" {
  const reads = new Set<string>();
  const sources = new Map<string, string>();
  for (const step of steps) {
    if (step.reads === "all") return "all";
    for (const name of step.reads ?? []) reads.add(sources.get(name) ?? name);
    const renamed = Object.entries(step.renames ?? {}).map(([to, from]) => [to, sources.get(from) ?? from] as const);
    for (const [to, from] of renamed) sources.set(to, from);
  }
  return reads;
}

/** The rows from the beginning that several slices, one after the other, can ever look at. */
function enough(slices: ReadonlyArray<{ readonly offset: number; readonly length: number }>): number {
  return slices.reduceRight((wanted, { offset, length }) => offset + Math.min(length, wanted), Number.MAX_SAFE_INTEGER);
}
