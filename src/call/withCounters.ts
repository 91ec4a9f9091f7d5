import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import type { RequestBudget } from "../service/http/requester.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { RowCounter } from "../service/paging/countRows.js";
import type { Page } from "../service/paging/page.js";
import { CallSignal } from "../util/callSignal.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import type { CheckedCall } from "./execution.js";

/** Makes the counter of a search; `onRows` gets the pages that it reads by cursor. */
export type CounterOf = (search: ArchiveRequest, onRows?: (page: Page) => void) => RowCounter;

/** Runs a call that counts searches. They share a budget and a record, and if one fails, the others stop. */
export async function withCounters<T>(
  client: ClientContext,
  { request, signal }: CheckedCall,
  budget: RequestBudget | undefined,
  run: (combined: CombinedRecorder, counterOf: CounterOf) => Promise<T>,
): Promise<T> {
  for (const [name, value] of request.query)
    if (name === "cursor" || name === "page") throw invalid(name, value, "All pages are counted. Leave it out.");
  const combined = new CombinedRecorder(client, request);
  const stop = new CallSignal([signal, client.output.host.signal]);
  const { requester, redact, output } = client;
  const common = { requester, redact, budget, pageSize: output.pageSize, signal: stop.signal };
  const counterOf: CounterOf = (search, onRows) => {
    const onPage = (page: Page, isByCursor: boolean) => {
      combined.onPage();
      if (isByCursor) onRows?.(page);
    };
    return new RowCounter(search, { ...common, recorder: combined.add(search), onPage });
  };
  try {
    return await run(combined, counterOf);
  } catch (error) {
    stop.abort();
    combined.end({ stopped: error instanceof ArchiveError ? error.code : "failed" });
    throw error;
  } finally {
    stop.release();
  }
}
