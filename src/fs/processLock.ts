import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { sha256Of } from "../util/hash.js";
import { readReceivedFile } from "./receivedFile.js";

interface Owner {
  readonly pid: number;
  /** Start time of the process in the system's units, because process ids are reused. */
  readonly began: string;
  readonly host: string;
}

const MAX_BYTES = 10_000;
/** A lock without an owner that is older than this was left by a process that was killed while it wrote it. */
const MAX_WRITING_MS = 5000;

/** Acquires a lock, held until it is released or the process dies. The lock of a dead process is taken over. */
export function processLock(path: string, target: string, mode = 0o666): () => void {
  const owner: Owner = { pid: process.pid, began: startTime(process.pid) ?? "", host: hostname() };
  for (;;) {
    let file: number | undefined;
    try {
      file = openSync(path, "wx", mode);
      writeFileSync(file, JSON.stringify(owner));
      return () => rmSync(path, { force: true });
    } catch (error) {
      // The disk was full: nobody owns an empty lock.
      if (file !== undefined) rmSync(path);
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      if (file !== undefined) closeSync(file);
    }
    const text = readLock(path);
    if (text === undefined) continue;
    const holder = parseOwner(text);
    if (holder === null ? isBeingWritten(path) : isAlive(holder)) throw busyError(target, holder, path);
    // Several processes may see the lock of a dead one: a second lock decides which one removes it.
    const release = processLock(`${path}.${sha256Of(text).slice(0, 16)}`, target, mode);
    try {
      if (readLock(path) === text) rmSync(path);
    } finally {
      release();
    }
  }
}

function readLock(path: string): string | undefined {
  try {
    return readReceivedFile(dirname(path), basename(path), MAX_BYTES).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parseOwner(text: string): Owner | null {
  try {
    const owner = JSON.parse(text) as Partial<Owner> | null;
    return owner?.host === undefined ? null : (owner as Owner);
  } catch {
    return null;
  }
}

function isBeingWritten(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < MAX_WRITING_MS;
}

function isAlive({ pid, began, host }: Owner): boolean {
  if (host !== hostname()) return true;
  return isRunning(pid) && (startTime(pid) ?? began) === began;
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

function busyError(target: string, holder: Owner | null, path: string): ArchiveError {
  const isOther = holder !== null && (holder.pid !== process.pid || holder.host !== hostname());
  const who = isOther ? `process ${holder.pid} on ${holder.host}` : "another call";
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
