import { setProvenance } from "../frames/provenanceOf.js";
import type { Row } from "../service/operations/rows.js";
import { pageRows } from "../service/paging/page.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { CheckedCall } from "./callOptions.js";
import { callPages } from "./callPages.js";
import type { ClientContext } from "./clientContext.js";
import { collectorFor } from "./collectors.js";
import { withPartial } from "./execution.js";
import { fetchedResult } from "./fetchedResult.js";

/** Yields the rows of a search one by one. It keeps none of them, so `lastResult().frame` is empty. */
export async function* iterRecords(client: ClientContext, call: CheckedCall): AsyncGenerator<Row, void, undefined> {
  const recorder = new ProvenanceRecorder(call.request, client);
  const collector = collectorFor(call);
  try {
    const pages = callPages(client, call, recorder, () => collector.shape);
    for await (const page of pages) {
      yield* pageRows(page);
    }
    client.remember(
      fetchedResult(recorder, call.engine, () => setProvenance(collector.frame(), recorder.provenance())),
    );
  } catch (error) {
    throw withPartial(client, call, recorder, collector, error);
  }
}
