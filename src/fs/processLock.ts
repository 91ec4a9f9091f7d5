import { randomUUID } from "node:crypto";
import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { sha256Of } from "../util/sha256Of.js";
import { readReceivedFile } from "./readReceivedFile.js";

interface Owner {
  readonly pid: number;
  /** Start time of the process in the system's units, because process ids are reused. */
  readonly began: string;
  readonly host: string;
}

const MAX_BYTES = 10_000;

/** Error codes of file systems without hard links. */
const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Acquires a lock, held until it is released or the process dies. The lock of a dead process is taken over. */
export function processLock(path: string, target: string, mode = 0o666): () => void {
  const own = JSON.stringify({ ...owner(process.pid), id: randomUUID() });
  for (;;) {
    if (created(path, own, mode)) {
      removeAbandoned(path);
      return () => rmSync(path, { force: true });
    }
    const found = read(path);
    if (found === undefined) continue;
    const holder = parsed(found);
    if (holder !== undefined && isAlive(holder)) throw busy(target, holder, path);
    // Several processes may find the lock of a dead one: a second lock decides which one removes it.
    const hash = sha256Of(found).slice(0, 16);
    const release = processLock(`${path}.${hash}`, target, mode);
    try {
      if (read(path) === found) rmSync(path);
    } finally {
      release();
    }
  }
}

/** Creates the file atomically unless it exists: an empty file would look like the lock of a dead process. */
function created(path: string, text: string, mode: number): boolean {
  const whole = `${path}.${randomUUID()}`;
  try {
    writeFileSync(whole, text, { flag: "wx", mode });
    try {
      linkSync(whole, path);
    } catch (error) {
      if (!NO_HARD_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
      writeFileSync(path, text, { flag: "wx", mode });
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Removes the leftovers of processes that were killed while creating the lock. */
function removeAbandoned(path: string): void {
  const directory = dirname(path);
  try {
    for (const name of readdirSync(directory)) {
      if (!name.startsWith(`${basename(path)}.`) || !/\.[\da-f-]{36}$/.test(name)) continue;
      const owner = parsed(read(join(directory, name)) ?? "");
      if (owner !== undefined && !isAlive(owner)) rmSync(join(directory, name), { force: true });
    }
  } catch {
    // Another user's files may not be readable.
  }
}

function owner(pid: number): Owner {
  return { pid, began: startTime(pid) ?? "", host: hostname() };
}

function read(path: string): string | undefined {
  try {
    // In shared directories the file may be another user's.
    return readReceivedFile(dirname(path), basename(path), MAX_BYTES).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parsed(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<Owner> | null;
    return typeof owner?.pid === "number" && typeof owner.host === "string" ? (owner as Owner) : undefined;
  } catch {
    return undefined; // Half-written by a killed process.
  }
}

function isAlive({ pid, began: expected, host }: Owner): boolean {
  if (host !== hostname()) return true;
  if (!isRunning(pid)) return false;
  const actual = startTime(pid);
  return actual === undefined || actual === expected;
}

/** Linux only: distinguishes processes with the same id. Elsewhere the id must suffice. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function busy(target: string, { pid, host }: Owner, path: string): ArchiveError {
  const who = pid === process.pid && host === hostname() ? "another call" : `process ${pid} on ${host}`;
  return new ArchiveError(`${target} is being written by ${who}.`, {
    code: "TARGET_BUSY",
    hint: `Wait for it, or write to another path. If that process no longer runs, delete ${path}.`,
    path: target,
  });
}

/** Whether this machine has a process with this id, of any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
