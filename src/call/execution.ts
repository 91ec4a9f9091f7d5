import { APIError, ArchiveError } from "../errors/index.js";
import { BrokenPage } from "../frames/brokenPage.js";
import { collectYoung } from "../frames/collectGarbage.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { isSearch } from "../service/operations/operations.js";
import type { Page } from "../service/paging/page.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { walk } from "../service/paging/walk.js";
import type { WalkOptions } from "../service/paging/walkOptions.js";
import type { CheckedCall } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { type Collector, collectorFor } from "./collectors.js";
import { harvestOf } from "./harvest.js";
import { notebookHost } from "./notebookHost.js";
import { Progress } from "./progress.js";
import { warnOfVideotype } from "./warnOfVideotype.js";

/** Asks for what a checked call wants, and gives it in the form that the call wants. */
export async function execute(client: ClientContext, call: CheckedCall): Promise<unknown> {
  const recorder = new ProvenanceRecorder(call.request, client);
  const collector = collectorFor(call);
  try {
    const maxPages = call.maxItems === undefined && isSearch(call.request.operation) ? 1 : undefined;
    for await (const page of walkPages(client, call, recorder, collector, { maxPages, ahead: client.concurrency }))
      collector.add(page);
    const result = setProvenance(collector.result(), recorder.provenance());
    const frame = () => (call.format === "dataframe" ? (result as FrameTypes[Engine]) : collector.frame());
    client.remember(harvestOf(recorder, call.engine, frame));
    return result;
  } catch (error) {
    throw withPartial(client, call, recorder, collector, error);
  }
}

/** Bodies of pages that have been used and not freed. */
const USED_BYTES = 2 * 2 ** 20;

/** How far a walk goes, and how far ahead of its consumer. */
export type WalkBounds = Partial<Pick<WalkOptions, "ahead" | "prefetchLimit" | "maxPages" | "budget">>;

/** The pages of a call, with what the client knows; reports how it goes on. */
export async function* walkPages(
  client: ClientContext,
  { request, maxItems, signal }: Pick<CheckedCall, "request" | "maxItems" | "signal">,
  recorder: ProvenanceRecorder,
  collector: Pick<Collector, "shape">,
  { ahead = 0, prefetchLimit, maxPages, budget }: WalkBounds = {},
): AsyncGenerator<Page, void, undefined> {
  const { requester, redact, output } = client;
  const progress = new Progress(output.progress, recorder, maxItems);
  recorder.onRetry = (event) => progress.waits(event);
  const bounds = { maxItems, maxPages, budget, pageSize: output.pageSize, ahead, prefetchLimit };
  const shape = () => collector.shape;
  try {
    const pages = walk(request, {
      requester,
      redact,
      recorder,
      shape,
      signals: [signal, notebookHost().signal],
      ...bounds,
    });
    let used = 0;
    for await (const page of pages) {
      progress.page();
      yield page;
      used += page.bytes.length;
      if (used < USED_BYTES) continue;
      used = 0;
      collectYoung();
    }
  } finally {
    await recorder.settle(true);
    progress.end();
    warnOfVideotype(recorder.remark);
  }
}

/** The error for the caller: with what had come before it, which `lastHarvest` then gives too. */
export function withPartial(
  client: ClientContext,
  call: CheckedCall,
  recorder: ProvenanceRecorder,
  collector: Collector,
  error: unknown,
): unknown {
  const typed = error instanceof BrokenPage ? unusable(client, call, recorder, collector, error) : error;
  const harvest = harvestOf(recorder, call.engine, () => setProvenance(collector.frame(), recorder.provenance()));
  client.remember(harvest);
  if (typed instanceof ArchiveError && recorder.pages > 0) typed.partial = harvest;
  return typed;
}

function unusable(
  client: ClientContext,
  { request }: CheckedCall,
  recorder: ProvenanceRecorder,
  collector: Collector,
  error: BrokenPage,
): ArchiveError {
  recorder.rewind(error.page, collector.rows);
  if (error.cause instanceof ArchiveError) {
    recorder.end("stopped", error.cause.code);
    return error.cause;
  }
  const { path } = request;
  return new APIError(`GET ${path} answered with a body that is not JSON (page ${error.page + 1}).`, {
    code: "BODY_NOT_JSON",
    hint: "Check that baseUrl is the address of the service and that no proxy answers in its place.",
    method: "GET",
    path,
    cause: new SyntaxError(client.redact(String((error.cause as Error).message))),
  });
}
