import { rmSync } from "node:fs";
import pMap from "p-map";
import type { ClientContext } from "../../call/clientContext.js";
import { declaredSchema } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import { buildRequest } from "../../service/operations/request.js";
import { openPage, type Page, selectRows } from "../../service/paging/page.js";
import { corpusInfo } from "../corpusInfo.js";
import { removeOrphans } from "../database/applyDefinition.js";
import type { Database } from "../database/database.js";
import { OPERATIONS } from "../database/tables.js";
import { type Lookup, today } from "../definition/definition.js";
import { type OpenCorpus, withCorpus } from "../withCorpus.js";
import { CorpusRun } from "./corpusRun.js";
import { writeRowsFile } from "./rowsFile.js";
import type { CheckedRunOptions, CorpusSummary } from "./runOptions.js";

/**
 * Fetches the windows that are due, looks up what is missing, and publishes the tables.
 *
 * @param lag for a refresh: windows that ended within so many days before they were fetched are due again
 */
export async function runCorpus(
  dir: string,
  client: ClientContext,
  options: CheckedRunOptions,
  lag?: number,
): Promise<CorpusSummary> {
  const isRefresh = lag !== undefined;
  const day = client.recorded?.[isRefresh ? "last" : "first"] ?? today();
  const action = async (corpus: OpenCorpus) => {
    const { database, definition } = corpus;
    if (lag !== undefined) await beginRefresh(corpus, lag);
    const run = new CorpusRun(corpus, client, options);
    const fetch = async () => {
      await run.fetchAll(await run.dueGroups());
      await removeOrphans(database, corpus.run, day);
      for (const table of definition.lookups) await lookUp(table, run, day);
    };
    const isUnfinished = async () =>
      (await run.dueGroups()).length > 0 || (await areLookupsMissing(database, definition.lookups));
    return run.execute(fetch, isUnfinished);
  };
  const result = await withCorpus(dir, client, isRefresh ? "refresh" : "build", action, isRefresh ? day : undefined);
  const { windows, mentions, hits, people, programs } = corpusInfo(dir);
  return { ...result, windows, mentions, hits, people, programs };
}

/** Makes windows due again, unless an earlier refresh is unfinished. One more day, because the service may have another time zone. */
async function beginRefresh({ database, run }: OpenCorpus, lag: number): Promise<void> {
  await database.run(`update windows set due = true where retrieved is not null
    and (maxdate is null or maxdate + ${lag + 1} >= retrieved)
    and not exists (from windows where due and error is null and run < (select max(run) from runs where verb = 'refresh' and run < ${run}))`);
}

const ID_COLUMNS = { people: "personid", programs: "programid" } as const;
/** A page with the row of each id; undefined if the service does not know the id. */
type LookupResults = Map<number, Page | undefined>;
/** Ids per batch, which is written at once. */
const BATCH_SIZE = 500;

/** The ids in mentions that a table lacks. Only positive numbers are ids. */
async function missingIds(table: Lookup, database: Database): Promise<number[]> {
  const id = ID_COLUMNS[table];
  const rows = await database.rows<{ id: string }>(
    `select distinct ${id} as id from mentions where ${id} > 0 and ${id} not in (select id from ${table}) order by ${id}`,
  );
  return rows.map((row) => Number(row.id));
}

async function areLookupsMissing(database: Database, lookups: readonly Lookup[]): Promise<boolean> {
  for (const table of lookups) if ((await missingIds(table, database)).length > 0) return true;
  return false;
}

/**
 * Looks up the ids that a table lacks, until the request budget is used up. An unknown id becomes a row with `resolved` false.
 *
 * @throws ArchiveError of the first failed lookup; the results before it are in the table
 */
async function lookUp(table: Lookup, run: CorpusRun, day: string): Promise<void> {
  const ids = await missingIds(table, run.corpus.database);
  for (let at = 0; at < ids.length && !run.options.budget?.isUsedUp; at += BATCH_SIZE) {
    const results: LookupResults = new Map();
    const one = (id: number) => lookUpOne(table, id, run, results);
    try {
      await pMap(ids.slice(at, at + BATCH_SIZE), one, { concurrency: run.client.concurrency });
    } finally {
      if (results.size > 0) await commitLookups(table, results, run.corpus.database, day);
    }
  }
}

/** Looks up an id. There is no result if the request budget is used up. */
async function lookUpOne(table: Lookup, id: number, run: CorpusRun, results: LookupResults): Promise<void> {
  const { client, recorder: runRecorder, call } = run;
  const { budget } = run.options;
  const operation = OPERATIONS[table];
  const request = buildRequest(operation, { id });
  const recorder = runRecorder.add(request);
  try {
    const context = { ...recorder.context, budget, signal: call.signal };
    const response = await client.requester.request(request.path, request.query, context);
    const page = openPage(response, request, declaredSchema(operations[operation].columns), client.redact);
    results.set(id, page.records.rows === 0 ? undefined : selectRows(page, [0]));
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // The service refuses the id.
    if (["NOT_FOUND", "HTTP_ERROR", "INVALID_INPUT"].includes(code)) results.set(id, undefined);
    else if (code !== "OUT_OF_REQUESTS") throw error;
  } finally {
    runRecorder.report(recorder);
  }
}

/** Adds results to their table, with the id that mentions have, whatever the row says. */
async function commitLookups(table: Lookup, results: LookupResults, database: Database, day: string): Promise<void> {
  const file = writeRowsFile(
    database.work,
    table,
    [...results.values()].map((page) => (page === undefined ? [] : [page])),
  );
  const ids = [...results.keys()].map((id, part) => ({ part, id }));
  await database.temporary("lookup_results", { part: "integer", id: "bigint" }, ids);
  await database.run(`insert into ${table} by name (select a.id, r.* exclude (part, row, id), r.part is not null as resolved,
    date '${day}' as looked_up from lookup_results a left join (${file.rows}) r using (part))`);
  rmSync(file.path);
}
