import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { ArchiveError } from "../errors/index.js";
import { removeTemporaryDirectory, temporaryDirectory } from "../fs/directories.js";

/**
 * Opens DuckDB in memory, without extensions, with times in UTC and limited memory. Loads DuckDB on first use, which takes 0.14 s.
 *
 * @param directory private, for data that does not fit in memory
 * @throws ArchiveError `ENGINE_MISSING` if DuckDB cannot be loaded
 */
export async function openDuckDB(directory: string, memoryLimit = "1GB"): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // The cache mistakes a file that was just replaced for the old one.
    enable_external_file_cache: "false",
    memory_limit: memoryLimit,
    temp_directory: join(directory, "spill"),
    // Each thread needs its own memory.
    threads: String(Math.min(availableParallelism(), 4)),
  });
  const connection = await instance.connect();
  try {
    await connection.run("set global TimeZone = 'UTC'");
  } finally {
    connection.closeSync();
  }
  return instance;
}

/**
 * Runs something with a connection to an in-memory instance, which can read and write files only in a private directory. The
 * configuration cannot be changed.
 *
 * @throws ArchiveError `ENGINE_MISSING` if DuckDB cannot be loaded
 */
export async function withDuckDB<T>(
  action: (connection: DuckDBConnection, directory: string) => Promise<T>,
): Promise<T> {
  const directory = temporaryDirectory();
  let instance: DuckDBInstance | undefined;
  let connection: DuckDBConnection | undefined;
  try {
    instance = await openDuckDB(directory);
    connection = await instance.connect();
    const settings = `set allowed_directories = [${literal(directory)}]; set enable_external_access = false`;
    await connection.run(`${settings}; set lock_configuration = true`);
    return await action(connection, directory);
  } finally {
    connection?.closeSync();
    instance?.closeSync();
    removeTemporaryDirectory(directory);
  }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export async function loadDuckDB(): Promise<typeof import("@duckdb/node-api")> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    const what = "DuckDB cannot be loaded: its binary is missing or does not fit this machine.";
    const without = "Only reading files, sql() and corpora need it.";
    const hint = `${without} Delete node_modules and package-lock.json, then type: npm install archive-frames --include=optional`;
    throw new ArchiveError(what, { code: "ENGINE_MISSING", hint, cause });
  }
}
