import type { WalkContext } from "../http/requester.js";
import { isSearch } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import type { WalkOptions } from "./walkOptions.js";

/** What whoever stores answers is told of a walk; undefined for a look-up, which has one answer. */
export function walkContext(
  { operation }: ArchiveRequest,
  { maxItems, maxPages }: Pick<WalkOptions, "maxItems" | "maxPages">,
): WalkContext | undefined {
  if (!isSearch(operation)) return undefined;
  return { rows: maxPages === 1 ? 0 : (maxItems ?? Number.POSITIVE_INFINITY) };
}

/** Tells whoever stores the answers how far a walk came, unless an error stopped it. */
export function reportEnd(context: WalkContext | undefined, { verdict, reason, rows }: ProvenanceRecorder): void {
  if (verdict === "stopped" && reason !== "not finished") return;
  context?.onEnd?.(verdict === "complete" ? Number.POSITIVE_INFINITY : rows);
}
