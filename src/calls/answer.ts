import { BrokenPage } from "../frames/brokenPage.js";
import { collectYoung } from "../frames/collectGarbage.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { APIError, ArchiveError } from "../service/errors/index.js";
import { isSearch } from "../service/operations/operations.js";
import { Account } from "../service/pages/account.js";
import type { Page } from "../service/pages/page.js";
import { walk } from "../service/pages/walk.js";
import type { WalkOptions } from "../service/pages/walkOptions.js";
import { setProvenance } from "../snapshots/provenanceOf.js";
import type { CheckedCall } from "./callOptions.js";
import { type Collector, collectorFor } from "./collectors.js";
import type { Core } from "./core.js";
import { harvestOf } from "./harvest.js";
import { host } from "./host.js";
import { Progress } from "./progress.js";
import { warnOfVideotype } from "./warnOfVideotype.js";

/** Asks for what a checked call wants, and gives it in the form that the call wants. */
export async function answer(core: Core, call: CheckedCall): Promise<unknown> {
  const account = new Account(call.request, core);
  const collector = collectorFor(call);
  try {
    const maxPages = call.maxItems === undefined && isSearch(call.request.operation) ? 1 : undefined;
    for await (const page of walkPages(core, call, account, collector, { maxPages, ahead: core.concurrency }))
      collector.add(page);
    const result = setProvenance(collector.result(), account.provenance());
    const frame = () => (call.format === "dataframe" ? (result as FrameTypes[Engine]) : collector.frame());
    core.remember(harvestOf(account, call.engine, frame));
    return result;
  } catch (error) {
    throw withPartial(core, call, account, collector, error);
  }
}

/** Bodies of pages that have been used and not freed. */
const USED_BYTES = 2 * 2 ** 20;

/** How far a walk goes, and how far ahead of its consumer. */
export type WalkBounds = Partial<Pick<WalkOptions, "ahead" | "prefetchLimit" | "maxPages" | "budget">>;

/** The pages of a call, with what the client knows; reports how it goes on. */
export async function* walkPages(
  core: Core,
  { request, maxItems, signal }: Pick<CheckedCall, "request" | "maxItems" | "signal">,
  account: Account,
  collector: Pick<Collector, "shape">,
  { ahead = 0, prefetchLimit, maxPages, budget }: WalkBounds = {},
): AsyncGenerator<Page, void, undefined> {
  const { asker, redact, output } = core;
  const progress = new Progress(output.progress, account, maxItems);
  account.onRetry = (event) => progress.waits(event);
  const bounds = { maxItems, maxPages, budget, pageSize: output.pageSize, ahead, prefetchLimit };
  const shape = () => collector.shape;
  try {
    const pages = walk(request, { asker, redact, account, shape, signals: [signal, host().signal], ...bounds });
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
    await account.settle(true);
    progress.end();
    warnOfVideotype(account.remark);
  }
}

/** The error for the caller: with what had come before it, which `lastHarvest` then gives too. */
export function withPartial(
  core: Core,
  call: CheckedCall,
  account: Account,
  collector: Collector,
  error: unknown,
): unknown {
  const typed = error instanceof BrokenPage ? unusable(core, call, account, collector, error) : error;
  const harvest = harvestOf(account, call.engine, () => setProvenance(collector.frame(), account.provenance()));
  core.remember(harvest);
  if (typed instanceof ArchiveError && account.pages > 0) typed.partial = harvest;
  return typed;
}

function unusable(
  core: Core,
  { request }: CheckedCall,
  account: Account,
  collector: Collector,
  error: BrokenPage,
): ArchiveError {
  account.rewind(error.page, collector.rows);
  if (error.cause instanceof ArchiveError) {
    account.end("stopped", error.cause.code);
    return error.cause;
  }
  const { path } = request;
  return new APIError(`GET ${path} answered with a body that is not JSON (page ${error.page + 1}).`, {
    code: "BODY_NOT_JSON",
    hint: "Check that baseUrl is the address of the service and that no proxy answers in its place.",
    method: "GET",
    path,
    cause: new SyntaxError(core.redact(String((error.cause as Error).message))),
  });
}
