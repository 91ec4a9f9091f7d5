import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { ArchiveError, FileError } from "../../errors/index.js";
import { makePrivateDirectory } from "../../fs/makeDirectory.js";
import { toFileError } from "../../fs/toFileError.js";
import { fileType, unsafePath } from "../../fs/unsafePath.js";
import { openDuckDB } from "../../tables/openDuckDB.js";
import { checkDirectory } from "../definition/checkDirectory.js";
import { literal, tuples } from "./sqlText.js";

const FILE = "corpus.duckdb";
const VERSION = "1";
/** DuckDB alone. A month of 2.8 million hits needs no more. */
const MEMORY = "256MB";
/** Rows of one `insert … values`. */
const CHUNK = 2000;

const SCHEMA = `
create table if not exists meta (name varchar primary key, value varchar);
create table if not exists rounds (round integer, day date, closed boolean);
create table if not exists asked (search varchar, span varchar, mindate date, maxdate date);
create table if not exists windows (search varchar, span varchar, key varchar, mindate date, maxdate date, rows bigint, reason varchar,
  requests bigint, began date, retrieved date, without_id bigint, repeated_ids bigint, round integer, sha varchar);
create table if not exists mentions (id varchar, first_seen date, changed date, vanished date, round integer);
create table if not exists hits (search varchar, span varchar, id varchar, first_seen date, vanished date, round integer);
create table if not exists missing (search varchar, id varchar, primary key (search, id));
create table if not exists failures (search varchar, code varchar, message varchar, day date);
create table if not exists runs (began timestamptz, ended timestamptz, verb varchar, version varchar, requests bigint, verdict varchar,
  reason varchar, added bigint, changed bigint, vanished bigint, returned bigint);
create table if not exists dirty (month varchar primary key);`;

/** Databases that this process has open: DuckDB locks its file against other processes only. */
const open = new Set<string>();

/** A row of a result. Whole numbers of 64 bits are text. */
export type DatabaseRow = Readonly<Record<string, string | number | boolean | null>>;

/** The state of a corpus: a DuckDB file, which one process at a time can open. */
export class Database {
  private constructor(
    /** The directory of the corpus. */
    readonly dir: string,
    /** Its private directory for journals. */
    readonly work: string,
    /** A directory for unfinished files, which is removed with the database. */
    readonly scratch: string,
    /** Whether the file was missing or damaged: the state has to be restored from the tables. */
    readonly isNew: boolean,
    readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
  ) {}

  /**
   * Opens the database of a corpus, and creates it if it is missing. A damaged one is put aside.
   *
   * @param others further directories to read Parquet files from
   * @throws FileError `TARGET_BUSY` if another run is writing; `UNSAFE_PATH`
   */
  static async open(dir: string, others: readonly string[] = []): Promise<Database> {
    checkDirectory(dir);
    const path = join(realpathSync(dir), FILE);
    if (open.has(path)) throw busy(dir, `this process (PID ${process.pid})`);
    open.add(path);
    let instance: DuckDBInstance | undefined;
    try {
      const work = join(dir, "work");
      makePrivateDirectory(work);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats !== undefined && !stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`);
      // What a killed run has left.
      for (const name of readdirSync(work))
        if (name.startsWith("run-")) rmSync(join(work, name), { recursive: true, force: true });
      const scratch = mkdtempSync(join(work, "run-"));
      const opened = await openFile(path, resolve(scratch), stats !== undefined);
      instance = opened.instance;
      chmodSync(path, 0o600);
      const connection = await instance.connect();
      const database = new Database(dir, work, scratch, opened.isNew, instance, connection);
      const directories = [work, join(dir, "tables"), ...others].map((one) => literal(resolve(one)));
      await database.run(`set threads = 2;
        set preserve_insertion_order = false;
        set allowed_directories = [${directories.join(", ")}];
        set enable_external_access = false;
        set lock_configuration = true;`);
      await database.run(SCHEMA);
      await database.run(`insert or ignore into meta values ('version', ${literal(VERSION)})`);
      return database;
    } catch (error) {
      instance?.closeSync();
      open.delete(path);
      throw databaseError(error, dir);
    }
  }

  /** Ends the use of the database, and lets others open it. */
  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
    open.delete(join(realpathSync(this.dir), FILE));
    rmSync(this.scratch, { recursive: true, force: true });
  }

  async run(sql: string): Promise<void> {
    try {
      await this.connection.run(sql);
    } catch (error) {
      throw databaseError(error, this.dir);
    }
  }

  async rows<T = DatabaseRow>(sql: string): Promise<T[]> {
    try {
      return (await this.connection.runAndReadAll(sql)).getRowObjectsJson() as T[];
    } catch (error) {
      throw databaseError(error, this.dir);
    }
  }

  /** The only row of a result. */
  async one<T = DatabaseRow>(sql: string): Promise<T> {
    return (await this.rows<T>(sql))[0] as T;
  }

  async insert(table: string, rows: Parameters<typeof tuples>[0]): Promise<void> {
    for (let at = 0; at < rows.length; at += CHUNK)
      await this.run(`insert into ${table} values ${tuples(rows.slice(at, at + CHUNK))}`);
  }

  /** Runs an action that either happens as a whole or not at all. */
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
}

async function openFile(path: string, directory: string, exists: boolean) {
  const create = () => openDuckDB({ path, directory, memoryLimit: MEMORY });
  if (!exists) return { instance: await create(), isNew: true };
  let instance: DuckDBInstance | undefined;
  try {
    instance = await create();
    const connection = await instance.connect();
    try {
      const [row] = (await connection.runAndReadAll("select value from meta where name = 'version'")).getRows();
      if (row?.[0] === VERSION) return { instance, isNew: false };
    } finally {
      connection.closeSync();
    }
  } catch (error) {
    // Anything else says that its content is damaged.
    if (/lock on file|Permission denied|No space left|Cannot open file/.test(String(error))) throw error;
    if (error instanceof ArchiveError) throw error;
  }
  instance?.closeSync();
  for (const suffix of ["", ".wal"])
    if (lstatSync(path + suffix, { throwIfNoEntry: false })) renameSync(path + suffix, `${path}.damaged${suffix}`);
  return { instance: await create(), isNew: true };
}

/** The typed error for one of DuckDB. */
function databaseError(error: unknown, dir: string): ArchiveError {
  const message = error instanceof Error ? error.message : "";
  const [, holder] = /lock on file.*is held in (.*?\(PID \d+\))/s.exec(message) ?? [];
  if (message.includes("lock on file")) return busy(dir, holder ?? "another process");
  const code = message.includes("No space left")
    ? "ENOSPC"
    : message.includes("Permission denied")
      ? "EACCES"
      : undefined;
  return toFileError(code === undefined ? error : Object.assign(new Error(message), { code }), dir);
}

function busy(dir: string, holder: string): FileError {
  return new FileError(`${dir} is in use by ${holder}.`, {
    code: "TARGET_BUSY",
    hint: "One run at a time can write to a corpus. Wait for it, or stop it.",
    path: dir,
  });
}
