import { BrokenPage } from "../frames/brokenPage.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { Row } from "../service/operations/operations.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { CheckedCall } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { type Collector, collectorFor } from "./collectors.js";
import { walkPages, withPartial } from "./execution.js";
import { harvestOf } from "./harvest.js";

/**
 * The rows of a search one by one, page by page: what was handed over is not kept, so memory does not grow, and
 * `lastHarvest().frame` is empty.
 */
export async function* iterRecords(client: ClientContext, call: CheckedCall): AsyncGenerator<Row, void, undefined> {
  const recorder = new ProvenanceRecorder(call.request, client);
  const collector: Collector = collectorFor(call);
  try {
    for await (const page of walkPages(client, call, recorder, collector)) yield* readRows(page, recorder.pages - 1);
    client.remember(harvestOf(recorder, call.engine, () => setProvenance(collector.frame(), recorder.provenance())));
  } catch (error) {
    throw withPartial(client, call, recorder, collector, error);
  }
}

function readRows(page: Page, before: number): Row[] {
  try {
    return pageRows(page);
  } catch (cause) {
    throw new BrokenPage(before, cause);
  }
}
