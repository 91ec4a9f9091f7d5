import type { Definition } from "../definition/definition.js";
import { type Window, windowId } from "../definition/windows.js";
import { MentionColumns } from "./columns.js";
import { Database } from "./database.js";
import { literal } from "./sqlText.js";

/** What has landed of a window. */
export interface LandedWindow {
  readonly search: string;
  readonly span: string;
  /** See `Window.key`. */
  readonly key: string;
  /** First and last day, yyyy-mm-dd; null if not limited. */
  readonly mindate: string | null;
  readonly maxdate: string | null;
  /** Rows of the service; null if a part of the window was asked again since. */
  readonly rows: number | null;
  /** Why the rows are complete, but not shown to be; or null. */
  readonly reason: string | null;
  readonly requests: number;
  /** Days of the first and the last response, by the clock of the service. */
  readonly began: string;
  readonly retrieved: string;
  /** Rows without an id, and further rows with the id of another one. */
  readonly withoutId: number;
  readonly repeatedIds: number;
  /** The round that asked for it last. */
  readonly round: number;
  /** The hash of its rows; null if they may be others. */
  readonly sha: string | null;
}

/** A round: what is asked from one refresh, or one build of what is missing, to the next. */
export interface Round {
  readonly round: number;
  /** The day on which it began, yyyy-mm-dd. */
  readonly day: string;
  readonly closed: boolean;
}

/** What a refresh asks again. */
export interface AskedWindow {
  readonly search: string;
  readonly span: string;
  readonly mindate: string | null;
  readonly maxdate: string | null;
}

/** What runs have changed. */
export interface Changes {
  added: number;
  changed: number;
  vanished: number;
  returned: number;
}

/** The state of a corpus while this process has it open. */
export class CorpusState {
  readonly landed = new Map<string, LandedWindow>();
  /** Ids that one response had for several contents: they are numbered. */
  readonly repeated = new Set<string>();
  readonly changes: Changes = { added: 0, changed: 0, vanished: 0, returned: 0 };
  round: Round | undefined;
  asked: AskedWindow[] = [];
  columns!: MentionColumns;

  private constructor(readonly database: Database) {}

  /** @param others see {@link Database.open} */
  static async open(dir: string, others?: readonly string[]): Promise<CorpusState> {
    const state = new CorpusState(await Database.open(dir, others));
    try {
      await state.load();
      return state;
    } catch (error) {
      state.close();
      throw error;
    }
  }

  close(): void {
    this.database.close();
  }

  /** Reads what is known of windows and rounds. */
  async load(): Promise<void> {
    const { database } = this;
    await database.run("create temp table if not exists before (id varchar primary key, content ubigint)");
    this.columns = await MentionColumns.of(database);
    this.landed.clear();
    for (const row of await database.rows(SELECT_WINDOWS)) {
      const window = landedWindow(row);
      this.landed.set(windowId(window.search, window.span), window);
    }
    this.round = await database.one<Round>(
      "select round, day::varchar as day, closed from rounds order by round desc limit 1",
    );
    this.asked = await database.rows<AskedWindow>(
      "select search, span, mindate::varchar as mindate, maxdate::varchar as maxdate from asked",
    );
    const numbered =
      "select distinct regexp_replace(id, '#\\d+$', '') as id from mentions where regexp_matches(id, '#\\d+$')";
    for (const { id } of await database.rows<{ id: string }>(numbered)) this.repeated.add(id);
  }

  landingOf({ search, name }: Window): LandedWindow | undefined {
    return this.landed.get(windowId(search.id, name));
  }

  async meta(name: string): Promise<string | undefined> {
    return (await this.database.one<{ value: string }>(`select value from meta where name = ${literal(name)}`))?.value;
  }

  async setMeta(name: string, value: string): Promise<void> {
    await this.database.run(`insert or replace into meta values (${literal(name)}, ${literal(value)})`);
  }

  /** How many rows the tables of lookups have, and the others. */
  async counts(): Promise<{ mentions: number; hits: number; people: number; programs: number }> {
    const count = (table: string) => `(select count(*)::int from ${table}) as ${table}`;
    const tables = new Set(
      (await this.database.rows<{ name: string }>("select table_name as name from duckdb_tables()")).map(
        ({ name }) => name,
      ),
    );
    const rows = (table: string) => (tables.has(table) ? count(table) : `0 as ${table}`);
    return this.database.one(`select ${count("mentions")}, ${count("hits")}, ${rows("people")}, ${rows("programs")}`);
  }
}

const SELECT_WINDOWS = `select search, span, key, mindate::varchar as mindate, maxdate::varchar as maxdate, rows::int as rows, reason, requests::int as requests,
  began::varchar as began, retrieved::varchar as retrieved, without_id::int as "withoutId", repeated_ids::int as "repeatedIds", round, sha from windows`;

function landedWindow(row: object): LandedWindow {
  return row as LandedWindow;
}

/** A landed window as a row of its table. */
export function windowRow(window: LandedWindow): ReadonlyArray<string | number | null> {
  const { search, span, key, mindate, maxdate, rows, reason, requests, began, retrieved } = window;
  const { withoutId, repeatedIds, round, sha } = window;
  return [
    search,
    span,
    key,
    mindate,
    maxdate,
    rows,
    reason,
    requests,
    began,
    retrieved,
    withoutId,
    repeatedIds,
    round,
    sha,
  ];
}

/** Whether a definition has a search. */
export function searchIds({ searches }: Pick<Definition, "searches">): ReadonlySet<string> {
  return new Set(searches.map(({ id }) => id));
}
