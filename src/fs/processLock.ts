import { createHash, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { FileError } from "../errors/index.js";
import { readReceivedFile } from "./readReceivedFile.js";

interface Owner {
  readonly pid: number;
  /** When the process began, as the system counts: numbers of processes are used again. */
  readonly began: string;
  readonly host: string;
}

/** A lock has about a hundred. */
const MAX_BYTES = 10_000;

/** How file systems say that they know no hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * Takes a lock that a process holds until it gives it back or dies; a dead one's lock is taken over.
 *
 * @param path the file that stands for the lock
 * @param target what the lock is for, in the message
 * @returns gives the lock back
 * @throws FileError `TARGET_BUSY`, or `UNSAFE_PATH` where something else than a lock is there
 */
export function processLock(path: string, target: string): () => void {
  const own = JSON.stringify({ ...owner(process.pid), id: randomUUID() });
  for (;;) {
    if (made(path, own)) return () => rmSync(path, { force: true });
    const found = read(path);
    if (found === undefined) continue;
    const holder = parsed(found);
    if (holder !== undefined && isAlive(holder)) throw busy(target, holder, path);
    // Of several that find the lock of a dead process one removes it: the one that has the lock for removing just that one.
    const done = processLock(`${path}.${createHash("sha256").update(found).digest("hex").slice(0, 16)}`, target);
    try {
      if (read(path) === found) rmSync(path);
    } finally {
      done();
    }
  }
}

/** Makes the file, unless it is there. It appears with all that is in it: an empty one would pass for that of a dead process. */
function made(path: string, text: string): boolean {
  const whole = `${path}.${randomUUID()}`;
  try {
    writeFileSync(whole, text, { flag: "wx" });
    linkSync(whole, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
  } finally {
    rmSync(whole, { force: true });
  }
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function owner(pid: number): Owner {
  return { pid, began: began(pid) ?? "", host: hostname() };
}

/** What is in a file; undefined where it is gone. */
function read(path: string): string | undefined {
  try {
    // Others may write locks of shared folders.
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
    return undefined; // Torn by a kill.
  }
}

function isAlive({ pid, began: then, host }: Owner): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = began(pid);
  return now === undefined || now === then;
}

/** The field of Linux that tells two processes of one number apart; elsewhere the number has to do. */
function began(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function busy(target: string, { pid, host }: Owner, path: string): FileError {
  const who = pid === process.pid && host === hostname() ? "another call" : `process ${pid} on ${host}`;
  return new FileError(`${target} is being written by ${who}.`, {
    code: "TARGET_BUSY",
    hint: `Wait for it, or write to another path. If nothing runs there any more, delete ${path}.`,
    path: target,
  });
}
