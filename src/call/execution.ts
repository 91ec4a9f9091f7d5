import { ArchiveError } from "../errors/index.js";
import { UnusablePageError } from "../frames/cellLimit.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { isSearch } from "../service/operations/operations.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { CheckedCall } from "./callOptions.js";
import { callPages } from "./callPages.js";
import type { ClientContext } from "./clientContext.js";
import { collectorFor } from "./collectors.js";
import { fetchedResult } from "./fetchedResult.js";

/** Runs a checked call and returns its result in the format of the call. */
export async function execute(client: ClientContext, call: CheckedCall): Promise<unknown> {
  const recorder = new ProvenanceRecorder(call.request, client);
  const collector = collectorFor(call);
  try {
    const maxPages = call.maxItems === undefined && isSearch(call.request.operation) ? 1 : undefined;
    const bounds = { maxPages, ahead: client.concurrency };
    for await (const page of callPages(client, call, recorder, () => collector.shape, bounds)) collector.add(page);
    const result = setProvenance(collector.result(), recorder.provenance());
    const frame = () => (call.format === "dataframe" ? (result as FrameTypes[Engine]) : collector.frame());
    client.remember(fetchedResult(recorder, call.engine, frame));
    return result;
  } catch (error) {
    throw withPartial(client, call, recorder, collector, error);
  }
}

/** What a failed call had collected. */
export interface Collected {
  readonly rows: number;
  /** Its rows as a frame. */
  frame(): FrameTypes[Engine];
}

/** The error to throw for a failed call, with the rows collected so far as `partial`; `lastResult` returns them too. */
export function withPartial(
  client: ClientContext,
  call: Pick<CheckedCall, "request" | "engine">,
  recorder: ProvenanceRecorder,
  collected: Collected,
  error: unknown,
): unknown {
  // An unusable page and the pages requested ahead of it are taken out of the record.
  if (error instanceof UnusablePageError) recorder.rewind(error.page, collected.rows, error.cause.code);
  const typed = error instanceof UnusablePageError ? error.cause : error;
  const fetched = fetchedResult(recorder, call.engine, () => setProvenance(collected.frame(), recorder.provenance()));
  client.remember(fetched);
  if (typed instanceof ArchiveError && recorder.pages > 0) typed.partial = fetched;
  return typed;
}
