import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import pMap from "p-map";
import type { ClientContext } from "../../call/clientContext.js";
import { ArchiveError } from "../../errors/index.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { type Journal, withJournal } from "../../responses/journal.js";
import type { RequestBudget, Requester } from "../../service/http/requester.js";
import { buildRequest } from "../../service/operations/request.js";
import { openPage, selectRows } from "../../service/paging/page.js";
import { addDays } from "../definition/days.js";
import type { Definition, Lookup } from "../definition/definition.js";
import type { CorpusState } from "../state/corpusState.js";
import { literal } from "../state/sqlText.js";
import { openJournal } from "./fetchWindow.js";
import { LookedUpRows } from "./lookedUpRows.js";
import type { RunRecorder } from "./runRecorder.js";

/** The operations that fill tables of lookups, and the columns of mentions with the ids. */
export const LOOKED_UP = {
  people: { operation: "person", column: "personid" },
  programs: { operation: "program", column: "programid" },
} as const;

/** Zero, negative numbers and empty text are no ids. */
export const NO_ID = /^(0|-.*|\s*)$/;
/** Ids that are looked up before the table is written. */
const BATCH = 2000;
/** Days after which an id that the service did not know is looked up again. */
const UNKNOWN_AGE = 30;

/** What lookups need. */
export interface LookUpOptions {
  readonly client: ClientContext;
  /** Today by the clock of the service. */
  readonly today: string;
  /** In a refresh: days after which to look up again. */
  readonly again: { readonly after: number } | undefined;
  readonly recorder: RunRecorder;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal;
}

/**
 * Looks up the ids of mentions that a table does not have, and in a refresh those of its mentions that were looked up long ago. One that the
 * service does not know becomes a row with `resolved` false. Some are left if the request budget is used up.
 *
 * @throws ArchiveError of the first lookup that failed; what was found before is in the table
 */
export async function lookUp(table: Lookup, state: CorpusState, options: LookUpOptions): Promise<void> {
  const ids = await idsToLookUp(table, state, options);
  const path = join(state.database.work, `${table}.lookups`);
  for (let at = 0; at < ids.length; at += BATCH) {
    const journal = openJournal(path, {
      corpus: options.client.source,
      lookups: table,
      round: state.round?.round ?? 0,
    });
    try {
      const isFinished = await lookUpBatch(table, ids.slice(at, at + BATCH), journal, path, state, options);
      if (!isFinished) return;
    } finally {
      journal.close();
    }
    rmSync(path, { force: true });
  }
}

/** How many ids of mentions the tables of lookups do not have. */
export async function missingLookups(state: CorpusState, { lookups }: Pick<Definition, "lookups">): Promise<number> {
  let missing = 0;
  for (const table of lookups) missing += (await idsToLookUp(table, state, { again: undefined, today: "" })).length;
  return missing;
}

/** In the order of their numbers. */
async function idsToLookUp(
  table: Lookup,
  { database, round }: CorpusState,
  { again, today }: Pick<LookUpOptions, "again" | "today">,
): Promise<string[]> {
  const id = `${LOOKED_UP[table].column}::varchar`;
  const known = await hasTable(database, table);
  const old =
    known && again !== undefined
      ? `union select id from (select distinct ${id} as id from mentions m semi join (select h.id from hits h join windows w on w.search = h.search and w.span = h.span
          where w.round = ${round?.round ?? 0}) using (id)) join (select id::varchar as id, looked_up, resolved from ${table}) using (id)
          where looked_up < date ${literal(addDays(today, -again.after))} or (not resolved and looked_up < date ${literal(addDays(today, -Math.min(UNKNOWN_AGE, again.after)))})`
      : "";
  const rows = await database.rows<{ id: string }>(`select id from (
    select id from (select distinct ${id} as id from mentions) where id is not null and not regexp_matches(id, ${literal(NO_ID.source)})
      ${known ? `and id not in (select id::varchar from ${table})` : ""} ${old}) order by length(id), id`);
  return rows.map((row) => row.id);
}

/** The ids that a table has. */
export async function knownIds({ database }: CorpusState, table: Lookup): Promise<ReadonlySet<string>> {
  if (!(await hasTable(database, table))) return new Set();
  return new Set((await database.rows<{ id: string }>(`select id::varchar as id from ${table}`)).map(({ id }) => id));
}

async function hasTable(database: CorpusState["database"], table: Lookup): Promise<boolean> {
  return (
    (await database.rows(`select 1 as one from duckdb_tables() where table_name = '${table}' and schema_name = 'main'`))
      .length > 0
  );
}

async function lookUpBatch(
  table: Lookup,
  ids: readonly string[],
  journal: Journal,
  path: string,
  state: CorpusState,
  { client, recorder: all, budget, signal, today }: LookUpOptions,
): Promise<boolean> {
  const { operation } = LOOKED_UP[table];
  const rows = new LookedUpRows(operation, today);
  const requester = withJournal(client.requester, journal, path);
  const recorder = all.add({ operation, path: `/${table}`, query: [] });
  let isOut = false;
  const one = async (id: string) => {
    if (isOut) return;
    try {
      await lookUpOne(id, rows, requester, client, { ...recorder.context, budget, signal });
      all.onPage();
    } catch (error) {
      if (!(error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) throw error;
      isOut = true;
    }
  };
  try {
    await pMap(ids, one, { concurrency: client.concurrency });
  } finally {
    all.release(recorder);
    // Unknown ids have no response that the journal could keep.
    if (rows.size > 0) await store(table, state, rows);
  }
  return !isOut;
}

/** Puts rows into the table. They replace those of the same ids. */
async function store(table: Lookup, { database }: CorpusState, rows: LookedUpRows): Promise<void> {
  const [before, after] = [0, 1].map(() => join(database.scratch, `${randomUUID()}.parquet`)) as [string, string];
  let known: PolarsFrame | undefined;
  if (await hasTable(database, table)) {
    const ids = [...rows.ids].map((id) => literal(id)).join(", ");
    await database.run(`copy (from ${table} where id::varchar not in (${ids})) to ${literal(before)} (format parquet)`);
    known = pl.readParquet(before);
  }
  rows.addTo(known).writeParquet(after, { compression: "uncompressed" });
  await database.run(`create or replace table ${table} as from read_parquet(${literal(after)})`);
  for (const path of [before, after]) rmSync(path, { force: true });
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
