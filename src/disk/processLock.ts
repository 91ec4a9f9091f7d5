import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { FileError } from "../service/errors/index.js";

interface Owner {
  readonly pid: number;
  /** When the process began, as the system counts: numbers of processes are used again. */
  readonly began: string;
  readonly host: string;
}

/**
 * Takes a lock that a process holds until it gives it back or dies; a dead one's lock is taken over.
 *
 * @param path the file that stands for the lock
 * @param target what the lock is for, in the message
 * @returns gives the lock back
 * @throws FileError `TARGET_BUSY`
 */
export function processLock(path: string, target: string): () => void {
  const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  for (;;) {
    if (take(path, aside)) return () => rmSync(path, { force: true });
    const holder = readOwner(path);
    if (holder !== undefined && isAlive(holder)) throw busy(target, holder, path);
    // Of several that find the lock of a dead process one moves it away; the others find it gone and try again.
    try {
      renameSync(path, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      continue;
    }
    // Another one was quicker, and this is its lock already.
    const moved = readOwner(aside);
    if (moved !== undefined && isAlive(moved)) putBack(aside, path);
    rmSync(aside, { force: true });
  }
}

/** Makes the file, with all that is in it at once: whoever finds it empty would take it for a dead process's. */
function take(path: string, aside: string): boolean {
  const content = JSON.stringify(owner(process.pid));
  writeFileSync(aside, content);
  try {
    linkSync(aside, path);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(code)) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  // A file system without links.
  try {
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function putBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch {
    // Somebody has taken it meanwhile, or there are no links here.
  }
}

function owner(pid: number): Owner {
  return { pid, began: began(pid) ?? "", host: hostname() };
}

function readOwner(path: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(path, "utf8")) as Partial<Owner> | null;
    return typeof owner?.pid === "number" && typeof owner.host === "string" ? (owner as Owner) : undefined;
  } catch {
    return undefined; // Torn by a kill, or gone.
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
