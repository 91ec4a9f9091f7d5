import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, linkSync, readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { makeDirectory, makePrivateDirectory } from "../../fs/makeDirectory.js";
import { isRunning } from "../../fs/processLock.js";
import { sha256Of } from "../../util/sha256Of.js";
import { filesOf } from "./tableFiles.js";

/** States of a corpus that a process keeps. Older ones are removed. */
const MAX_STATES = 8;

const HOST = sha256Of(hostname()).slice(0, 8);
const STATE = /^([\da-f]{8})-(\d{1,10})-[\da-f-]{36}$/;

interface State {
  readonly identity: string;
  readonly path: string;
}

/** By the path of the corpus, the last one first. */
const states = new Map<string, State[]>();

/**
 * The tables `mentions` and `hits` as they are now, in a directory that no run changes: polars opens a file twice, and throws if it
 * is replaced in between. The files are hard links, or copies if the file system has none. The directory exists until the process
 * ends or has seen eight later states.
 *
 * @returns a directory with `tables/`; the corpus itself if no run has written to it, or if this user cannot
 */
export function frozenTables(dir: string): string {
  const work = join(dir, "work");
  const files = [...filesOf(dir, "mentions"), ...filesOf(dir, "hits")];
  if (files.length === 0 || !existsSync(work)) return dir;
  const identity = files.map((file) => `${file} ${identityOf(join(dir, file))}`).join("\n");
  const known = states.get(resolve(dir)) ?? [];
  const [last] = known;
  if (last?.identity === identity && existsSync(last.path)) return last.path;
  const path = join(work, "readers", `${HOST}-${process.pid}-${randomUUID()}`);
  try {
    makePrivateDirectory(work);
    for (const file of files) {
      makeDirectory(dirname(join(path, file)));
      linkOrCopy(join(dir, file), join(path, file));
    }
  } catch {
    rmSync(path, { recursive: true, force: true });
    return dir;
  }
  if (states.size === 0) process.once("exit", removeAll);
  states.set(resolve(dir), [{ identity, path }, ...known.slice(0, MAX_STATES - 1)]);
  for (const old of known.slice(MAX_STATES - 1)) rmSync(old.path, { recursive: true, force: true });
  return path;
}

/** Removes what ended processes of this computer have left. */
export function removeFrozenTables(dir: string): void {
  const readers = join(dir, "work", "readers");
  for (const name of existsSync(readers) ? readdirSync(readers) : []) {
    const [, host, pid] = STATE.exec(name) ?? [];
    if (host === HOST && !isRunning(Number(pid))) rmSync(join(readers, name), { recursive: true, force: true });
  }
}

/** A file that is replaced has another inode. */
function identityOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function removeAll(): void {
  for (const { path } of [...states.values()].flat()) rmSync(path, { recursive: true, force: true });
}
