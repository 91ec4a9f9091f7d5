import { BrokenPage } from "../frames/brokenPage.js";
import type { Row } from "../service/operations/operations.js";
import { Account } from "../service/pages/account.js";
import { type Page, pageRows } from "../service/pages/page.js";
import { setProvenance } from "../snapshots/provenanceOf.js";
import { walkPages, withPartial } from "./answer.js";
import type { CheckedCall } from "./callOptions.js";
import { type Collector, collectorFor } from "./collectors.js";
import type { Core } from "./core.js";
import { harvestOf } from "./harvest.js";

/**
 * The rows of a search one by one, page by page: what was handed over is not kept, so memory does not grow, and
 * `lastHarvest().frame` is empty.
 */
export async function* iterRecords(core: Core, call: CheckedCall): AsyncGenerator<Row, void, undefined> {
  const account = new Account(call.request, core);
  const collector: Collector = collectorFor(call);
  try {
    for await (const page of walkPages(core, call, account, collector)) yield* readRows(page, account.pages - 1);
    core.remember(harvestOf(account, call.engine, () => setProvenance(collector.frame(), account.provenance())));
  } catch (error) {
    throw withPartial(core, call, account, collector, error);
  }
}

function readRows(page: Page, before: number): Row[] {
  try {
    return pageRows(page);
  } catch (cause) {
    throw new BrokenPage(before, cause);
  }
}
