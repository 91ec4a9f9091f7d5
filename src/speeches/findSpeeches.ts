import type { ClientContext } from "../call/clientContext.js";
import { rowShape } from "../service/json/rowShape.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { walk } from "../service/paging/walk.js";
import type { CallSignal } from "../util/callSignal.js";
import type { SpeechPlan, SpeechSearch } from "./checkSpeeches.js";
import type { CombinedRecorder } from "./combinedRecorder.js";
import { readRows } from "./readRows.js";
import { together } from "./together.js";

/** A search, and what it has found so far. */
export interface Finding {
  readonly search: SpeechSearch;
  readonly recorder: ProvenanceRecorder;
  readonly rows: Row[];
}

const SHAPE = rowShape(Object.entries(operations.mentions.columns));

/** The searches of a plan, not begun; bills that ask the same share one. By bill, in the order of the plan. */
export function findingsOf({ bills }: SpeechPlan, combined: CombinedRecorder): Finding[][] {
  const known = new Map<string, Finding>();
  return bills.map(({ searches }) =>
    searches.map((search) => {
      const key = JSON.stringify(search.request.query);
      const finding = known.get(key) ?? { search, recorder: combined.open(search.request), rows: [] };
      known.set(key, finding);
      return finding;
    }),
  );
}

/**
 * Walks the searches side by side, within the limit of the client.
 *
 * @throws ArchiveError of the first that fails; the findings keep what came
 */
export async function findSpeeches(
  client: ClientContext,
  plan: SpeechPlan,
  findings: Iterable<Finding>,
  combined: CombinedRecorder,
  stop: CallSignal,
): Promise<void> {
  const walks = [...findings].map((finding) => () => walkOne(client, plan, finding, combined, stop.signal));
  await together(walks, client.concurrency, stop);
}

async function walkOne(
  { requester, redact, output, concurrency }: ClientContext,
  { maxItems, format }: SpeechPlan,
  { search, recorder, rows }: Finding,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { request } = search;
  const pages = walk(request, {
    requester,
    recorder,
    redact,
    shape: () => SHAPE,
    maxItems,
    maxPages: undefined,
    pageSize: output.pageSize,
    ahead: concurrency,
    signals: [signal],
  });
  for await (const page of pages) {
    for (const row of readRows(page, request.path, redact, format === "dataframe")) rows.push(row);
    combined.page();
  }
}
