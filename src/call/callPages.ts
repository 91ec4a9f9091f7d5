import type { RowShape } from "../pages/rows.js";
import type { Page } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import type { PaginationOptions } from "../service/paging/paginationOptions.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { CheckedCall } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { notebookHost } from "./notebookHost.js";
import { Progress } from "./progress.js";
import { warnOfVideotype } from "./warnOfVideotype.js";

/** How far a pagination goes, and how far ahead of its consumer. */
export type PageBounds = Partial<Pick<PaginationOptions, "ahead" | "prefetchLimit" | "maxPages" | "budget">>;

/**
 * Reads the pages of a call with the settings of the client, reports progress.
 *
 * @param shape the rows seen so far, which the scanner expects in the next page
 */
export async function* callPages(
  client: ClientContext,
  { request, maxItems, signal }: Pick<CheckedCall, "request" | "maxItems" | "signal">,
  recorder: ProvenanceRecorder,
  shape: () => RowShape,
  { ahead = 0, prefetchLimit, maxPages, budget }: PageBounds = {},
): AsyncGenerator<Page, void, undefined> {
  const { requester, redact, output } = client;
  const { pageSize } = output;
  const progress = new Progress(output.progress, recorder, maxItems, { counted: client.counts.of(request)?.rows });
  recorder.onRetry = (event) => progress.waits(event);
  const signals = [signal, notebookHost().signal];
  const bounds = { maxItems, maxPages, budget, pageSize, ahead, prefetchLimit };
  try {
    for await (const page of paginate(request, { requester, redact, recorder, shape, signals, ...bounds })) {
      progress.page();
      yield page;
    }
  } finally {
    progress.end();
    warnOfVideotype(recorder.remark);
  }
}
