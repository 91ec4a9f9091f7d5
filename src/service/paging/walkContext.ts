import type { WalkContext } from "../http/requester.js";
import { isSearch } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import type { WalkOptions } from "./walkOptions.js";

/** What a requester that stores responses needs to know of a walk; undefined for a lookup, which has one response. */
export function walkContext(
  { operation }: ArchiveRequest,
  { maxItems, maxPages }: Pick<WalkOptions, "maxItems" | "maxPages">,
): WalkContext | undefined {
  if (!isSearch(operation)) return undefined;
  return { rows: maxPages === 1 ? 0 : (maxItems ?? Number.POSITIVE_INFINITY) };
}

/** Reports to the requester how many rows the walk returned, unless an error stopped it. */
export function reportEnd(context: WalkContext | undefined, { verdict, reason, rows }: ProvenanceRecorder): void {
  if (verdict === "stopped" && reason !== "not finished") return;
  context?.onEnd?.(verdict === "complete" ? Number.POSITIVE_INFINITY : rows);
}
