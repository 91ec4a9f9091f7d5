import { rmSync } from "node:fs";
import pMap from "p-map";
import type { ClientContext } from "../../call/clientContext.js";
import { ArchiveError } from "../../errors/index.js";
import type { RequestBudget, Requester } from "../../service/http/requester.js";
import { buildRequest } from "../../service/operations/request.js";
import { openPage, type Page, selectRows } from "../../service/paging/page.js";
import { addDays } from "../definition/days.js";
import type { Definition, Lookup } from "../definition/definition.js";
import type { Window } from "../definition/windows.js";
import { SERVED } from "../state/columns.js";
import type { CorpusState } from "../state/corpusState.js";
import { identifier, sqlRows, sqlValue } from "../state/sqlText.js";
import type { Journals } from "./journals.js";
import { SharedShape, writeRows } from "./rowsFile.js";
import { isCommon, type RunRecorder } from "./runRecorder.js";

/** The columns of mentions with the ids. */
export const ID_COLUMNS = { people: "personid", programs: "programid" } as const;

/** Zero, negative numbers and empty text are not ids. */
export const NO_ID = /^(0|-.*|\s*)$/;
/** Ids of a batch. The table is written after each. */
const BATCH = 2000;
/** Lookups of a table may fail this often, or as often as they succeed. */
const MAX_FAILED = 10;
/** Days after which an id that the service did not know is looked up again. */
const UNKNOWN_AGE = 30;

/** What lookups need. */
export interface LookUpOptions {
  readonly client: ClientContext;
  /** Today by the clock of the service. */
  readonly today: string;
  /** In a refresh: days after which to look up again. */
  readonly lookupAge: number | undefined;
  readonly journals: Journals;
  readonly recorder: RunRecorder;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal;
  /** Called when the answers to a batch are in the table. */
  readonly onLanded: () => Promise<void>;
}

/**
 * Looks up the ids of mentions that a table does not have, and in a refresh those of its mentions that were looked up long ago. One that the
 * service does not know becomes a row with `resolved` false. Some are left if the request budget is used up, or if their lookups fail.
 *
 * @returns the first failure
 * @throws ArchiveError of a failure that concerns all lookups; what was found before is in the table
 */
export async function lookUp(
  table: Lookup,
  state: CorpusState,
  options: LookUpOptions,
): Promise<ArchiveError | undefined> {
  const ids = await idsToLookUp(table, state, options);
  let failure: ArchiveError | undefined;
  for (let at = 0; at < ids.length; at += BATCH) {
    const batch = await lookUpBatch(table, ids.slice(at, at + BATCH), state, options);
    failure ??= batch.failure;
    if (!batch.goesOn) break;
    await options.onLanded();
  }
  return failure;
}

/** The number of ids of mentions that were not looked up yet. */
export async function missingLookups(state: CorpusState, { lookups }: Pick<Definition, "lookups">): Promise<number> {
  let missing = 0;
  for (const table of lookups) missing += (await idsToLookUp(table, state)).length;
  return missing;
}

/** Which lookups are due. */
export interface DueOptions extends Partial<Pick<LookUpOptions, "lookupAge" | "today">> {
  /** The windows of a refresh that has not begun. Default: those that this round has asked. */
  readonly asked?: readonly Window[];
}

/** In the order of their numbers. */
async function idsToLookUp(
  table: Lookup,
  state: CorpusState,
  { lookupAge, today, asked }: DueOptions = {},
): Promise<string[]> {
  const id = `${ID_COLUMNS[table]}::varchar`;
  const before = (age: number) => `date ${sqlValue(addDays(today ?? "", -age))}`;
  const windows =
    asked === undefined
      ? `(from windows where round = ${state.round.round})`
      : sqlRows(asked.map(({ search, name: span }) => ({ search: search.id, span })));
  const old =
    lookupAge === undefined || asked?.length === 0
      ? ""
      : `union select id from (select distinct ${id} as id from mentions m semi join (select h.id from hits h semi join ${windows} using (search, span)) using (id)) join (select id::varchar as id, looked_up, resolved from ${table}) using (id)
          where looked_up < ${before(lookupAge)} or (not resolved and looked_up < ${before(Math.min(UNKNOWN_AGE, lookupAge))})`;
  const rows = await state.rows<{ id: string }>(`select id from (
    select id from (select distinct ${id} as id from mentions) where id is not null and not regexp_matches(id, ${sqlValue(NO_ID.source)})
      and id not in (select id::varchar from ${table}) ${old}) order by length(id), id`);
  return rows.map((row) => row.id);
}

/** The ids that a table has, and those of mentions that are to be looked up, whatever is fetched now. */
export async function knownIds(
  state: CorpusState,
  table: Lookup,
  options: DueOptions,
): Promise<Readonly<Record<"found" | "due", string[]>>> {
  const found = await state.rows<{ id: string }>(`select id::varchar as id from ${table}`);
  return { found: found.map(({ id }) => id), due: await idsToLookUp(table, state, options) };
}

/** @returns the first failure, and whether further lookups make sense */
async function lookUpBatch(
  table: Lookup,
  ids: readonly string[],
  state: CorpusState,
  { client, recorder: all, budget, signal, today, journals }: LookUpOptions,
): Promise<{ readonly failure: ArchiveError | undefined; readonly goesOn: boolean }> {
  const { operation } = SERVED[table];
  const requester = journals.of(table).recording(client.requester);
  const recorder = all.add({ operation, path: `/${table}`, query: [] });
  const found = new Map<string, Page | undefined>();
  const failures: ArchiveError[] = [];
  let goesOn = true;
  const one = async (id: string) => {
    if (!goesOn) return;
    try {
      found.set(id, await lookUpOne(operation, id, requester, client, { ...recorder.context, budget, signal }));
      all.onPage();
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      if (error.code === "OUT_OF_REQUESTS") goesOn = false;
      else if (isCommon(error)) throw error;
      else goesOn = failures.push(error) < Math.max(MAX_FAILED, found.size);
    }
  };
  try {
    await pMap(ids, one, { concurrency: client.concurrency });
  } finally {
    all.release(recorder);
    // Unknown ids have no response that the journal could keep.
    if (found.size > 0) await store(table, state, found, today);
  }
  return { failure: failures[0], goesOn };
}

/** Puts rows into the table. They replace those of the same ids; what was known of an id that the service has forgotten stays. */
async function store(
  table: Lookup,
  state: CorpusState,
  found: ReadonlyMap<string, Page | undefined>,
  today: string,
): Promise<void> {
  const columns = state.lookups[table];
  const known = [...found].flatMap(([id, page]) => (page === undefined ? [] : [{ id, pages: [page] }]));
  const pages = known.map((one) => one.pages);
  const file =
    pages.length === 0 ? undefined : writeRows(state.scratch, pages, new SharedShape(SERVED[table].operation));
  const ids = [...found.keys()];
  // The id that was asked for is the one that mentions have, whatever the row says.
  const type = ids.every((id) => /^\d{1,15}$/.test(id)) ? "BIGINT" : "VARCHAR";
  const sent = file?.columns.map((column) =>
    column.name === "id" ? { name: "id", type: columns.typeOf("id") } : column,
  );
  await columns.widen([{ name: "id", type }, ...(sent ?? [])]);
  const cells = `${pages.length > 1 ? "place" : "0 as place"}, ${columns.cellsOf(sent ?? [])}`;
  const rows =
    file === undefined ? `(select 0 as place, ${columns.cellsOf([])} limit 0)` : `read_parquet(${sqlValue(file.path)})`;
  const members = columns.names.filter((name) => name !== "id").map(identifier);
  const places = new Map(known.map(({ id }, place) => [id, place]));
  await state.transaction(() =>
    state.run(`
      create or replace temp table asking as select id, place::int as place from ${sqlRows(ids.map((id) => ({ id, place: places.get(id) ?? null })))};
      update ${table} set resolved = false, looked_up = date ${sqlValue(today)} where id::varchar in (select id from asking where place is null);
      delete from ${table} where id::varchar in (select id from asking where place is not null);
      insert into ${table} by name (select a.id::${columns.typeOf("id")} as id, ${members.join(", ")}, a.place is not null as resolved, date ${sqlValue(today)} as looked_up
        from asking a left join (select ${file === undefined ? "*" : cells} from ${rows}) r using (place)
          where not exists (from ${table} t where t.id::varchar = a.id));`),
  );
  if (file !== undefined) rmSync(file.path);
}

/** The page of one id, with its row; undefined if the service does not know it. */
async function lookUpOne(
  operation: "person" | "program",
  id: string,
  requester: Requester,
  { redact }: ClientContext,
  context: Parameters<Requester["request"]>[2],
): Promise<Page | undefined> {
  try {
    const request = buildRequest(operation, { id });
    const response = await requester.request(request.path, request.query, context);
    const page = openPage(response, request, new SharedShape(operation).current, redact);
    return page.tape.rows === 0 ? undefined : selectRows(page, [0]);
  } catch (error) {
    // The service refuses the id. Anything else may work next time.
    const isRefused =
      error instanceof ArchiveError && ["NOT_FOUND", "HTTP_ERROR", "INVALID_INPUT"].includes(error.code);
    if (!isRefused) throw error;
    return undefined;
  }
}
