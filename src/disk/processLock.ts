import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
  for (;;) {
    try {
      writeFileSync(path, JSON.stringify(owner(process.pid)), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = readOwner(path);
    if (holder !== undefined && isAlive(holder)) throw busy(target, holder, path);
    // Of several that find the lock of a dead process one moves it away; the others find it gone and try again.
    const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
    try {
      renameSync(path, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    rmSync(aside, { force: true });
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
