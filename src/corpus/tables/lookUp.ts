import { rmSync } from "node:fs";
import { join } from "node:path";
import pMap from "p-map";
import type { ClientContext } from "../../call/clientContext.js";
import type { CombinedRecorder } from "../../call/combinedRecorder.js";
import { ArchiveError } from "../../errors/index.js";
import { pl } from "../../frames/polars.js";
import { type Journal, withJournal } from "../../responses/journal.js";
import type { RequestBudget, Requester } from "../../service/http/requester.js";
import { buildRequest } from "../../service/operations/request.js";
import { openPage, selectRows } from "../../service/paging/page.js";
import type { Lookup } from "../definition/definition.js";
import { openJournal } from "../raw/openJournal.js";
import { LookedUpRows } from "./lookedUpRows.js";
import { BY_ID, LOOKED_UP, NO_ID, readTable, writeTable } from "./table.js";
import { scanTable } from "./tablePaths.js";

/** Ids that are looked up before the table is written. */
const BATCH = 2000;

/** What lookups need. */
export interface LookUpOptions {
  readonly dir: string;
  readonly client: ClientContext;
  /** The private directory of the corpus. */
  readonly work: string;
  readonly combined: CombinedRecorder;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal;
}

/**
 * Looks up the ids of mentions that a table does not have. Each id is asked for once: one that the service does not know becomes a row
 * with `resolved` false.
 *
 * @returns whether all ids are in the table; false if the request budget is used up
 * @throws ArchiveError of the first lookup that failed; what was found before is in the table
 */
export async function lookUp(table: Lookup, options: LookUpOptions): Promise<boolean> {
  const { dir, work, client } = options;
  const ids = await missingIds(dir, table);
  const path = join(work, `${table}.lookups`);
  for (let at = 0; at < ids.length; at += BATCH) {
    const journal = openJournal(path, { corpus: client.source, lookups: table });
    try {
      const isFinished = await lookUpBatch(table, ids.slice(at, at + BATCH), journal, path, options);
      if (!isFinished) return false;
    } finally {
      journal.close();
    }
    rmSync(path, { force: true });
  }
  return true;
}

/** The ids in the mentions that a table does not have yet, in the order of their numbers. */
async function missingIds(dir: string, table: Lookup): Promise<readonly string[]> {
  const id = pl.col("id");
  const mentioned = await scanTable(dir, "mentions")
    ?.select(pl.col(LOOKED_UP[table].column).cast(pl.String).alias("id"))
    .unique()
    .filter(id.isNotNull().and(id.str.contains(NO_ID.source).not()))
    .collect();
  if (mentioned === undefined) return [];
  const known = readTable(dir, table)?.select(id.cast(pl.String));
  const missing = known === undefined ? mentioned : mentioned.join(known, { on: "id", how: "anti" });
  return [...missing.sort(BY_ID).getColumn("id").toArray()] as string[];
}

async function lookUpBatch(
  table: Lookup,
  ids: readonly string[],
  journal: Journal,
  path: string,
  { dir, client, combined, budget, signal }: LookUpOptions,
): Promise<boolean> {
  const { operation } = LOOKED_UP[table];
  const rows = new LookedUpRows(operation);
  const requester = withJournal(client.requester, journal, path);
  const recorder = combined.add({ operation, path: `/${table}`, query: [] });
  let isOut = false;
  const one = async (id: string) => {
    if (isOut) return;
    try {
      await lookUpOne(id, rows, requester, client, { ...recorder.context, budget, signal });
      combined.onPage();
    } catch (error) {
      if (!(error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) throw error;
      isOut = true;
    }
  };
  try {
    await pMap(ids, one, { concurrency: client.concurrency });
  } finally {
    // Unknown ids have no response that the journal could keep.
    if (rows.size > 0) await writeTable(dir, table, rows.addTo(readTable(dir, table)));
  }
  return !isOut;
}

async function lookUpOne(
  id: string,
  rows: LookedUpRows,
  requester: Requester,
  { redact }: ClientContext,
  context: Parameters<Requester["request"]>[2],
): Promise<void> {
  try {
    const request = buildRequest(rows.operation, { id });
    const response = await requester.request(request.path, request.query, context);
    const page = openPage(response, request, rows.shape, redact);
    if (page.tape.rows === 0) rows.addUnknown(id);
    else rows.add(id, selectRows(page, [0]));
  } catch (error) {
    // The service refuses the id. Anything else may work next time.
    const isRefused =
      error instanceof ArchiveError && ["NOT_FOUND", "HTTP_ERROR", "INVALID_INPUT"].includes(error.code);
    if (!isRefused) throw error;
    rows.addUnknown(id);
  }
}
