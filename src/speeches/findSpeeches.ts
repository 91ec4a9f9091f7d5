import type { Core } from "../calls/core.js";
import type { LinkedAbort } from "../service/http/linkedAbort.js";
import { operations, type Row } from "../service/operations/operations.js";
import type { Account } from "../service/pages/account.js";
import { rowShape } from "../service/pages/rowShape.js";
import { walk } from "../service/pages/walk.js";
import type { SpeechPlan, SpeechSearch } from "./checkSpeeches.js";
import type { Ledger } from "./ledger.js";
import { readRows } from "./readRows.js";
import { together } from "./together.js";

/** A search, and what it has found so far. */
export interface Finding {
  readonly search: SpeechSearch;
  readonly account: Account;
  readonly rows: Row[];
}

const SHAPE = rowShape(Object.entries(operations.mentions.columns));

/** The searches of a plan, not begun; bills that ask the same share one. By bill, in the order of the plan. */
export function findingsOf({ bills }: SpeechPlan, ledger: Ledger): Finding[][] {
  const known = new Map<string, Finding>();
  return bills.map(({ searches }) =>
    searches.map((search) => {
      const key = JSON.stringify(search.request.query);
      const finding = known.get(key) ?? { search, account: ledger.open(search.request), rows: [] };
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
  core: Core,
  plan: SpeechPlan,
  findings: Iterable<Finding>,
  ledger: Ledger,
  stop: LinkedAbort,
): Promise<void> {
  const walks = [...findings].map((finding) => () => walkOne(core, plan, finding, ledger, stop.signal));
  await together(walks, core.concurrency, stop);
}

async function walkOne(
  { asker, redact, output, concurrency }: Core,
  { maxItems, format }: SpeechPlan,
  { search, account, rows }: Finding,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  const { request } = search;
  const pages = walk(request, {
    asker,
    account,
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
    ledger.page();
  }
}
