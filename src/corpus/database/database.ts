import { chmodSync, lstatSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { ArchiveError } from "../../errors/index.js";
import { makeDirectory, makePrivateDirectory } from "../../fs/directories.js";
import { toFileError, unsafePath } from "../../fs/fileErrors.js";
import { operations } from "../../service/operations/operations.js";
import { identifier, literal, openDuckDB } from "../../tables/openDuckDB.js";
import { columnsOf, TABLE_NAMES, TYPES } from "./tables.js";

const FILE = "corpus.duckdb";
/** DuckDB writes what does not fit to files in `work/`. */
const MEMORY = "96MB";
/** For a query that does not fit, such as a month of long texts, until memory is trimmed. */
const MORE_MEMORY = "2GB";

/** `dirty` has the months to publish, `mentions_before` the state of changed mentions before the run. */
const SCHEMA = [
  ...TABLE_NAMES.filter((name) => name !== "searches").map((name) => {
    const columns = columnsOf(name).map(([column, [type]]) => `${identifier(column)} ${TYPES[type][0]}`);
    return `create table if not exists ${name} (${columns.join(", ")})`;
  }),
  "create table if not exists dirty (month varchar primary key)",
  "create temp table mentions_before (id varchar primary key, vanished date, content ubigint)",
].join("; ");

/** The databases that this process has open. DuckDB locks its file only against other processes. */
const openPaths = new Set<string>();

type TableCells = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The state of a corpus: a DuckDB file, which one process at a time can open. */
export class Database {
  private constructor(
    /** The directory of the corpus. */
    readonly dir: string,
    /** Its private directory for unfinished files. */
    readonly work: string,
    readonly path: string,
    readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
  ) {}

  /**
   * Opens the database of a corpus, and creates it if it is missing.
   *
   * @throws ArchiveError `TARGET_BUSY` if another run is writing; `UNSAFE_PATH`; `FILE_ERROR` if it is damaged
   */
  static async open(dir: string): Promise<Database> {
    makeDirectory(dir);
    const path = join(realpathSync(dir), FILE);
    // DuckDB would write its log to another path.
    if (path.includes("?")) throw unsafePath(path, "contains a question mark", "Give another path.");
    if (openPaths.has(path)) throw busy(dir, `this process (PID ${process.pid})`);
    openPaths.add(path);
    let instance: DuckDBInstance | undefined;
    try {
      if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw unsafePath(path, "is not a file");
      const work = join(dir, "work");
      makePrivateDirectory(work);
      instance = await openDuckDB(resolve(work), MEMORY);
      const connection = await instance.connect();
      // Small row groups are compressed into the file at once, without the log.
      await connection.run(
        `attach ${sqlValue(path)} as corpus (type duckdb, row_group_size 20480); use corpus; ${SCHEMA}`,
      );
      chmodSync(path, 0o600);
      // Left by killed runs, because this process owns the database.
      for (const name of readdirSync(work)) if (name !== "spill") rmSync(join(work, name), { recursive: true });
      const directories = [work, join(dir, "tables")].map((one) => sqlValue(resolve(one)));
      // A second thread makes small batches twice as slow, and the other core is busy with requests.
      await connection.run(`set threads = 1; set checkpoint_threshold = '256MB'; set preserve_insertion_order = false;
        set allowed_directories = [${directories.join(", ")}]; set enable_external_access = false`);
      return new Database(dir, work, path, instance, connection);
    } catch (error) {
      instance?.closeSync();
      openPaths.delete(path);
      throw databaseError(error, dir);
    }
  }

  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
    openPaths.delete(this.path);
  }

  async run(sql: string): Promise<void> {
    await this.connection.run(sql).catch(this.#fail);
  }

  /** The rows of a query. Days and 64-bit integers are strings. */
  async rows<T>(sql: string): Promise<T[]> {
    const read = () => this.connection.runAndReadAll(sql);
    const withMoreMemory = async (error: unknown) => {
      if (!OUT_OF_MEMORY.test(String(error))) throw error;
      await this.connection.run(`set memory_limit = '${MORE_MEMORY}'`);
      return read();
    };
    const result = await read().catch(withMoreMemory).catch(this.#fail);
    return result.getRowObjectsJson() as T[];
  }

  /** The only row of a query. */
  async one<T>(sql: string): Promise<T> {
    return (await this.rows<T>(sql))[0] as T;
  }

  /** Creates a temporary table. Days are strings, and missing cells are null. */
  async temporary(name: string, columns: Readonly<Record<string, string>>, rows: readonly TableCells[]): Promise<void> {
    const list = Object.entries(columns).map(([column, type]) => `${identifier(column)} ${type}`);
    await this.run(`create or replace temp table ${name} (${list.join(", ")})`);
    const appender = await this.connection.createAppender(name, "main", "temp");
    for (const row of rows) {
      for (const column of Object.keys(columns)) appender.appendValue(row[column] ?? null);
      appender.endRow();
    }
    appender.closeSync();
  }

  async transaction<T>(action: () => Promise<T>): Promise<T> {
    await this.run("begin");
    try {
      const result = await action();
      await this.run("commit");
      return result;
    } catch (error) {
      await this.connection.run("rollback").catch(() => undefined);
      throw error;
    }
  }

  /** Returns free memory of a large process to the system, because malloc keeps twice what DuckDB uses. Setting the limit does that. */
  async trimMemory(): Promise<void> {
    if (process.memoryUsage.rss() > 300 * 2 ** 20) await this.run(`set memory_limit = '${MEMORY}'`);
  }

  #fail = (error: unknown): never => {
    throw databaseError(error, this.dir);
  };
}

/** A value as an SQL literal. */
export function sqlValue(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "string" ? literal(value.replaceAll("\0", "")) : String(value);
}

const DAMAGED = /Corrupt|not a valid DuckDB|Could not read enough bytes|Serialization Error/;
const OUT_OF_MEMORY = /Out of Memory|failed to (?:pin|allocate)|could not allocate/;

function databaseError(error: unknown, dir: string): ArchiveError {
  const message = error instanceof Error ? error.message : String(error);
  const [holder = "another process"] = /^[^()]*\(PID \d+\)/.exec(message.split(" is held in ")[1] ?? "") ?? [];
  if (message.includes("lock on file")) return busy(dir, holder);
  const hint = `Delete ${FILE}: the next run restores it from tables/.`;
  const what = `${dir} has a damaged database: ${message.split("\n")[0]}`;
  if (DAMAGED.test(message)) return new ArchiveError(what, { code: "FILE_ERROR", hint, path: dir, cause: error });
  const code = /No space left/.test(message) ? "ENOSPC" : /Permission denied/.test(message) ? "EACCES" : undefined;
  return toFileError(code === undefined ? error : Object.assign(new Error(message), { code }), dir);
}

function busy(dir: string, holder: string): ArchiveError {
  const hint = "One run at a time can write to a corpus. Wait for it, or stop it.";
  return new ArchiveError(`${dir} is in use by ${holder}.`, { code: "TARGET_BUSY", hint, path: dir });
}

/** Hive's name for a missing value. */
const NONE = "__HIVE_DEFAULT_PARTITION__";
const NO_MONTH = `year=${NONE}/month=${NONE}`;
const MONTH = "year=%Y/month=%m";

/** A time in UTC without a zone, which takes a quarter of the CPU time. */
const inUtc = (time: string) => `make_timestamp(epoch_us(${time}))`;

/** The months of rows by their `begintime`, as directory names. Formatting each day once takes a third of the CPU time. */
export function monthsOf(rows: string): string {
  return `select distinct coalesce(strftime(day, '${MONTH}'), '${NO_MONTH}') as month
    from (select distinct ${inUtc("begintime")}::date as day from (${rows}))`;
}

/** Marks the months of rows for publication. */
export function markDirty(rows: string): string {
  return `insert or ignore into dirty ${monthsOf(rows)};`;
}

/** An SQL condition: the `begintime` of a row is in a month. */
export function isInMonth(month: string): string {
  const [, year, number] = /^year=(\d{4})\/month=(\d\d)$/.exec(month) ?? [];
  if (year === undefined)
    return `coalesce(strftime(${inUtc("begintime")}, '${MONTH}'), '${NO_MONTH}') = ${sqlValue(month)}`;
  const first = `timestamptz '${year}-${number}-01 00:00:00+00'`;
  return `begintime >= ${first} and begintime < ${first} + interval 1 month`;
}

/** The columns of the service without the id: the content of a mention. */
export const CONTENT_COLUMNS = Object.keys(operations.mentions.columns)
  .filter((name) => name !== "id")
  .map(identifier);

/** The hash of the content of a mention. Undeclared members do not count as changes. */
export function contentHash(table: string): string {
  return `hash(${CONTENT_COLUMNS.map((name) => `${table}.${name}`).join(", ")})`;
}

/** Updates `vanished` of the mentions in the temporary table `affected_ids`: the day of their last hit, if all hits have vanished. */
export function updateVanished(run: number): string {
  return `
    create or replace temp table affected_mentions as select m.id, h.day from mentions m join (
        select id, if(count(vanished) = count(*), max(vanished), null) as day from hits semi join affected_ids using (id) group by id
      ) h using (id) where m.vanished is distinct from h.day;
    insert or ignore into mentions_before select m.id, m.vanished, ${contentHash("m")} from mentions m semi join affected_mentions using (id) where m.run < ${run};
    update mentions m set vanished = f.day, run = ${run} from affected_mentions f where m.id = f.id;`;
}
