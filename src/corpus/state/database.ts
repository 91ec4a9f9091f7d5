import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { totalmem } from "node:os";
import { basename, join, resolve } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { ArchiveError } from "../../errors/index.js";
import { fileType, toFileError, unsafePath } from "../../fs/fileErrors.js";
import { makeDirectory, makePrivateDirectory } from "../../fs/makeDirectory.js";
import { openDuckDB } from "../../tables/openDuckDB.js";
import { sqlRows, sqlValue } from "./sqlText.js";

const FILE = "corpus.duckdb";
const VERSION = "3";
/** The limit of DuckDB alone, in MB. A month of 2.8 million hits needs no more, but long texts do. */
const MEMORY = 64;
/** A commit that fails for lack of memory does not say so. */
const LACKS_MEMORY = /Out of Memory Error|failed to (?:pin|allocate)|could not allocate/;
/** Half of what this process may have, in MB. */
const MAX_MEMORY = Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 2 ** 21;
/** A larger process returns free memory to the system: malloc keeps twice what DuckDB uses. */
const LARGE_BYTES = 360 * 2 ** 20;
/** Rows of one insert. */
const CHUNK = 10_000;
/** Rows of a row group. Full ones go to the file compressed, once: the log and the checkpoint, which would write them again, leave them out. */
const ROW_GROUP = 20_480;

const SCHEMA = `
create table if not exists meta (name varchar primary key, value varchar);
create table if not exists rounds (round integer, day date, closed boolean);
create table if not exists asked (search varchar, span varchar, mindate date, maxdate date);
create table if not exists windows (search varchar, span varchar, key varchar, mindate date, maxdate date, rows integer, reason varchar,
  requests integer, began date, retrieved date, without_id integer, repeated_ids integer, round integer, sha varchar, primary key (search, span));
create table if not exists mentions (id varchar, first_seen date, changed date, vanished date, round integer);
create table if not exists people (resolved boolean, looked_up date);
create table if not exists programs (resolved boolean, looked_up date);
create table if not exists hits (search varchar, span varchar, id varchar, first_seen date, vanished date, round integer);
create table if not exists missing (search varchar, id varchar, day date, primary key (search, id));
create table if not exists failures (search varchar, code varchar, message varchar);
create table if not exists runs (began timestamptz, ended timestamptz, verb varchar, version varchar, requests bigint, verdict varchar,
  reason varchar, added bigint, changed bigint, vanished bigint, returned bigint);
create table if not exists dirty (month varchar primary key);
create temp table before (id varchar primary key, content ubigint);`;

/** Databases that this process has open: DuckDB locks its file against other processes only. */
const open = new Set<string>();

type DatabaseRow = Readonly<Record<string, string | number | boolean | null>>;

/** An open database. */
interface Opened {
  /** The directory of the corpus. */
  readonly dir: string;
  /** Its private directory for journals. */
  readonly work: string;
  /** A directory for unfinished files, which is removed with the database. */
  readonly scratch: string;
  readonly path: string;
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
}

/** The state of a corpus: a DuckDB file, which one process at a time can open. */
export class Database {
  readonly dir: string;
  readonly work: string;
  readonly scratch: string;
  #isDamaged = false;
  #memory = MEMORY;
  #isInTransaction = false;

  protected constructor(readonly opened: Opened) {
    ({ dir: this.dir, work: this.work, scratch: this.scratch } = opened);
  }

  /**
   * Opens the database of a corpus, and creates it if it is missing. A damaged one is put aside.
   *
   * @throws ArchiveError `TARGET_BUSY` if another run is writing; `UNSAFE_PATH`
   */
  static async open(dir: string): Promise<Database> {
    return new Database(await openDatabase(dir));
  }

  /** Closes the database, so that others can open it. One that turned out to be damaged is put aside. */
  close(): void {
    const { connection, instance, path } = this.opened;
    connection.closeSync();
    instance.closeSync();
    if (this.#isDamaged) putAside(path);
    open.delete(path);
    rmSync(this.scratch, { recursive: true, force: true });
  }

  async run(sql: string): Promise<void> {
    await this.#execute((connection) => connection.run(sql));
  }

  /** The rows of a query. Days are text, and so are whole numbers of 64 bits. */
  async rows<T = DatabaseRow>(sql: string): Promise<T[]> {
    const result = await this.#execute((connection) => connection.runAndReadAll(sql));
    return result.getRowObjectsJson() as T[];
  }

  #execute<T>(action: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const execute = async () => {
      try {
        return await action(this.opened.connection);
      } catch (error) {
        throw this.#failure(error);
      }
    };
    // Of a transaction, everything has to run again.
    return this.#isInTransaction ? execute() : this.#withMemory(execute);
  }

  #failure(error: unknown): Error {
    this.#isDamaged ||= DAMAGED.test(String(error));
    return this.#isDamaged ? new DamagedDatabase() : databaseError(error, this.dir);
  }

  /** The only row of a result. */
  async one<T>(sql: string): Promise<T> {
    return (await this.rows<T>(sql))[0] as T;
  }

  /** Adds rows of the same members. */
  async insert(table: string, rows: readonly object[], verb = "insert"): Promise<void> {
    for (let at = 0; at < rows.length; at += CHUNK)
      await this.run(`${verb} into ${table} by name ${sqlRows(rows.slice(at, at + CHUNK) as DatabaseRow[])}`);
  }

  /** Returns free memory to the system, if the process is large. Setting the limit makes DuckDB call `malloc_trim`. */
  async trimMemory(): Promise<void> {
    if (process.memoryUsage.rss() > LARGE_BYTES) await this.#limitMemory();
  }

  #limitMemory(): Promise<void> {
    return this.run(`set memory_limit = '${this.#memory}MB'`);
  }

  /** Runs an action completely or not at all. */
  transaction<T>(action: () => Promise<T>): Promise<T> {
    return this.#withMemory(async () => {
      await this.run("begin");
      this.#isInTransaction = true;
      try {
        const result = await action();
        await this.run("commit");
        return result;
      } catch (error) {
        await this.opened.connection.run("rollback").catch(() => undefined);
        throw error;
      } finally {
        this.#isInTransaction = false;
      }
    });
  }

  /** Runs an action; again with twice the memory, as long as DuckDB has too little for its rows, up to half of what the machine has. */
  async #withMemory<T>(action: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await action();
      } catch (error) {
        if (!LACKS_MEMORY.test(String(error)) || this.#memory >= MAX_MEMORY) throw error;
        this.#memory *= 2;
        await this.#limitMemory();
        await this.load();
      }
  }

  /** Reads again what is known of the tables. */
  protected async load(): Promise<void> {}
}

/** A block of the database turned out to be damaged. It is put aside when it is closed. */
export class DamagedDatabase extends Error {}

const DAMAGED = /Corrupt database file|Could not read enough bytes from file "[^"]*corpus\.duckdb/;

export async function openDatabase(dir: string): Promise<Opened> {
  makeDirectory(dir);
  const path = join(realpathSync(dir), FILE);
  // DuckDB would put its log elsewhere.
  if (path.includes("?")) throw unsafePath(path, "contains a question mark", "Give another path.");
  if (open.has(path)) throw busy(dir, `this process (PID ${process.pid})`);
  open.add(path);
  let instance: DuckDBInstance | undefined;
  let scratch: string | undefined;
  try {
    const work = join(dir, "work");
    makePrivateDirectory(work);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`);
    scratch = mkdtempSync(join(work, "run-"));
    const file = await openFile(path, resolve(scratch), stats !== undefined);
    const { connection } = file;
    instance = file.instance;
    // Left by killed runs: nobody else has the database. A run that has just ended may have removed this one's.
    for (const name of readdirSync(work))
      if (name.startsWith("run-") && name !== basename(scratch)) rmSync(join(work, name), { recursive: true });
    mkdirSync(scratch, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o600);
    const directories = [work, join(dir, "tables")].map((one) => sqlValue(resolve(one)));
    // Nothing can switch external access on again while the database is open. The limit is set again by `trimMemory`, so the configuration is not locked.
    // A second thread doubles what small batches cost, and the other core is busy with requests. A checkpoint costs as much as a batch.
    await connection.run(`set threads = 1;
      set checkpoint_threshold = '256MB';
      set preserve_insertion_order = false;
      set allowed_directories = [${directories.join(", ")}];
      set enable_external_access = false;`);
    return { dir, work, scratch, path, ...file };
  } catch (error) {
    instance?.closeSync();
    open.delete(path);
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    throw databaseError(error, dir);
  }
}

async function openFile(path: string, directory: string, exists: boolean) {
  if (exists)
    try {
      return await attach(path, directory, exists);
    } catch (error) {
      // Any other error means that its content is damaged.
      if (/lock on file|Permission denied|No space left|Cannot open file/.test(String(error))) throw error;
      if (error instanceof ArchiveError) throw error;
    }
  putAside(path);
  return attach(path, directory, false);
}

/** Renames a damaged database. It replaces an earlier one, but no directory. */
function putAside(path: string): void {
  const find = (name: string) => lstatSync(name, { throwIfNoEntry: false });
  for (const suffix of ["", ".wal"]) {
    let aside = `${path}.damaged`;
    while (find(aside + suffix)?.isDirectory()) aside += "-";
    if (find(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
}

async function attach(path: string, directory: string, exists: boolean) {
  const instance = await openDuckDB(directory, `${MEMORY}MB`);
  const connection = await instance.connect();
  try {
    await connection.run(`attach ${sqlValue(path)} as corpus (type duckdb, row_group_size ${ROW_GROUP}); use corpus`);
    if (exists) {
      const [row] = (await connection.runAndReadAll("select value from meta where name = 'version'")).getRows();
      if (row?.[0] !== VERSION) throw new Error("another version");
    }
    await connection.run(`${SCHEMA} insert or ignore into meta values ('version', '${VERSION}');`);
    return { instance, connection };
  } catch (error) {
    connection.closeSync();
    instance.closeSync();
    throw error;
  }
}

/** The typed error for one of DuckDB. */
function databaseError(error: unknown, dir: string): ArchiveError {
  const message = error instanceof Error ? error.message : "";
  const [holder] = /^[^()]*\(PID \d+\)/.exec(message.split(" is held in ")[1] ?? "") ?? [];
  if (message.includes("lock on file")) return busy(dir, holder ?? "another process");
  if (LACKS_MEMORY.test(message))
    return new ArchiveError(
      `${dir} needs more memory than half of what this process may have: ${message.split("\n")[0]}`,
      {
        code: "FILE_ERROR",
        hint: "Run it on a machine with more memory, or divide the searches among several corpora.",
        path: dir,
        cause: error,
      },
    );
  const [code] = Object.entries(CODES).find(([, text]) => message.includes(text)) ?? [];
  return toFileError(code === undefined ? error : Object.assign(new Error(message), { code }), dir);
}

const CODES = { ENOSPC: "No space left", EACCES: "Permission denied" };

function busy(dir: string, holder: string): ArchiveError {
  return new ArchiveError(`${dir} is in use by ${holder}.`, {
    code: "TARGET_BUSY",
    hint: "One run at a time can write to a corpus. Wait for it, or stop it.",
    path: dir,
  });
}
