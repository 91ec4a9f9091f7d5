import { isSearch, type OperationName } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { type Pushdown, pushdown } from "./pushdown.js";
import type { Verb } from "./verbs.js";

/** How a scan will run. */
export interface ScanPlan {
  /** The first request, including the parameters that were pushed down. */
  readonly request: ArchiveRequest;
  readonly pushed: Pushdown;
  /** The verbs that run page by page, in order. */
  readonly streamed: readonly Verb[];
  /** The first verb that needs all rows, and every verb after it. */
  readonly gathered: readonly Verb[];
  /** How many rows of the service are enough, if a slice comes before any filter. */
  readonly rowsNeeded: number | undefined;
  /** Only the rows themselves show when there are enough, so no page is requested ahead. */
  readonly mayEndEarly: boolean;
  /** Columns of the service whose values decide what the streamed verbs do, so their types must not change while rows arrive. */
  readonly reads: ReadonlySet<string> | "all";
}

/** Plans a scan: what goes to the service, what runs page by page, what needs all rows. */
export function planScan(
  operation: OperationName,
  parameters: Readonly<Record<string, unknown>>,
  verbs: readonly Verb[],
  usePushdown: boolean,
): ScanPlan {
  const pushed = usePushdown && isSearch(operation) ? pushdown(operation, parameters, verbs) : { parameters: {} };
  const firstGather = verbs.findIndex(({ kind }) => kind === "gather");
  const streamed = firstGather < 0 ? verbs : verbs.slice(0, firstGather);
  const firstFilter = streamed.findIndex(({ comparisons }) => comparisons !== undefined);
  const unfiltered = firstFilter < 0 ? streamed : streamed.slice(0, firstFilter);
  const slices = unfiltered.flatMap(({ slice }) => (slice === undefined ? [] : [slice]));
  const needed = slices.length === 0 ? undefined : rowsUsedBy(slices);
  const slicesFiltered = firstFilter >= 0 && streamed.slice(firstFilter).some(({ slice }) => slice !== undefined);
  return {
    request: buildRequest(operation, { ...parameters, ...pushed.parameters }),
    pushed,
    streamed,
    gathered: firstGather < 0 ? [] : verbs.slice(firstGather),
    // The number of rows is pushed down too. Zero rows need no request in any case.
    rowsNeeded: usePushdown || needed === 0 ? needed : undefined,
    mayEndEarly: pushed.stop !== undefined || slicesFiltered || (!usePushdown && needed !== undefined),
    reads: readsOf(streamed),
  };
}

/** The columns that verbs read, under the names that the service gives them. */
function readsOf(verbs: readonly Verb[]): ReadonlySet<string> | "all" {
  const reads = new Set<string>();
  const sources = new Map<string, string>();
  for (const verb of verbs) {
    if (verb.reads === "all") return "all";
    for (const name of verb.reads ?? []) reads.add(sources.get(name) ?? name);
    const renamed = Object.entries(verb.renames ?? {}).map(([to, from]) => [to, sources.get(from) ?? from] as const);
    for (const [to, from] of renamed) sources.set(to, from);
  }
  return reads;
}

/** How many rows from the beginning several slices, one after the other, can use. */
function rowsUsedBy(slices: ReadonlyArray<{ readonly offset: number; readonly length: number }>): number {
  return slices.reduceRight((wanted, { offset, length }) => offset + Math.min(length, wanted), Number.MAX_SAFE_INTEGER);
}
