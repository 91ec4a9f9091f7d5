import { rmSync } from "node:fs";
import pMap from "p-map";
import { ArchiveError } from "../../errors/index.js";
import { declaredShape } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import { buildRequest } from "../../service/operations/request.js";
import { openPage, type Page, selectRows } from "../../service/paging/page.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import type { Database } from "../database/database.js";
import { columnsOf, OPERATIONS } from "../database/tables.js";
import type { Lookup } from "../definition/definition.js";
import type { CorpusRun } from "./corpusRun.js";
import { rowsOfFile, writeRows } from "./rowsFile.js";
import { isCommon } from "./runRecorder.js";

/** The columns of mentions with the ids. */
const ID_COLUMNS = { people: "personid", programs: "programid" } as const;
/** Ids of a batch. The table is written after each. */
const BATCH = 500;
/** Lookups of a table may fail this often, or as often as they succeed. */
const MAX_FAILED = 10;

/** The ids of mentions that a table lacks. Zero and negative numbers are no ids. */
function missingIds(table: Lookup): string {
  const id = ID_COLUMNS[table];
  return `select distinct ${id} as id from mentions where ${id} > 0 and ${id} not in (select id from ${table})`;
}

/** The number of ids that were not looked up yet. */
export async function missingLookups(database: Database, lookups: readonly Lookup[]): Promise<number> {
  let missing = 0;
  for (const table of lookups)
    missing += (await database.one<{ n: number }>(`select count(*)::int as n from (${missingIds(table)})`)).n;
  return missing;
}

/**
 * Looks up the ids that a table lacks. One that the service does not know becomes a row with `resolved` false. Some are left if the
 * request budget is used up.
 *
 * @throws ArchiveError of the first lookup that failed
 */
export async function lookUp(table: Lookup, run: CorpusRun, day: string): Promise<void> {
  const { database } = run.corpus;
  const ids = (await database.rows<{ id: string }>(`${missingIds(table)} order by id`)).map(({ id }) => Number(id));
  for (let at = 0; at < ids.length; at += BATCH)
    if (!(await lookUpBatch(table, ids.slice(at, at + BATCH), run, day))) return;
}

/** @returns false if the request budget is used up */
async function lookUpBatch(table: Lookup, ids: readonly number[], run: CorpusRun, day: string): Promise<boolean> {
  const recorder = run.recorder.add({ operation: OPERATIONS[table], path: `/${table}`, query: [] });
  const answers = new Map<number, Page | undefined>();
  const failures: ArchiveError[] = [];
  let isOut = false;
  const one = async (id: number) => {
    if (isOut || failures.length >= Math.max(MAX_FAILED, answers.size)) return;
    try {
      answers.set(id, await lookUpOne(table, id, run, recorder));
      run.recorder.onPage();
    } catch (error) {
      if (!(error instanceof ArchiveError) || isCommon(error)) throw error;
      if (error.code === "OUT_OF_REQUESTS") isOut = true;
      else failures.push(error);
    }
  };
  try {
    await pMap(ids, one, { concurrency: run.client.concurrency });
  } finally {
    run.recorder.release(recorder);
    if (answers.size > 0) await landAnswers(table, answers, run.corpus.database, day);
  }
  if (failures[0] !== undefined) throw failures[0];
  return !isOut;
}

/** The page of one id, with its row; undefined if the service does not know it. */
async function lookUpOne(
  table: Lookup,
  id: number,
  { client, options, call }: CorpusRun,
  recorder: ProvenanceRecorder,
): Promise<Page | undefined> {
  const operation = OPERATIONS[table];
  const request = buildRequest(operation, { id });
  const context = { ...recorder.context, budget: options.budget, signal: call.signal };
  try {
    const response = await client.requester.request(request.path, request.query, context);
    const page = openPage(response, request, declaredShape(operations[operation].columns), client.redact);
    return page.tape.rows === 0 ? undefined : selectRows(page, [0]);
  } catch (error) {
    // The service refuses the id. Anything else may work next time.
    const isRefused =
      error instanceof ArchiveError && ["NOT_FOUND", "HTTP_ERROR", "INVALID_INPUT"].includes(error.code);
    if (!isRefused) throw error;
    return undefined;
  }
}

/** Adds the answers to their table. The id that was asked for is the one that mentions have, whatever the row says. */
async function landAnswers(
  table: Lookup,
  answers: ReadonlyMap<number, Page | undefined>,
  database: Database,
  day: string,
): Promise<void> {
  const ids = [...answers.keys()];
  const file = writeRows(
    database.work,
    table,
    ids.map((id) => [answers.get(id) ?? []].flat()),
  );
  await database.temporary(
    "answers",
    { part: "integer", id: "bigint" },
    ids.map((id, part) => ({ part, id })),
  );
  const columns = Object.keys(columnsOf(table)).filter((name) => !["id", "resolved", "looked_up"].includes(name));
  await database.run(`insert into ${table} by name (select a.id, ${columns.map((name) => `r."${name}"`).join(", ")},
      r.part is not null as resolved, date '${day}' as looked_up from answers a left join (${rowsOfFile(file)}) r using (part))`);
  rmSync(file.path);
}
