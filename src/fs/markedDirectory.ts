import { lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../util/isObject.js";
import { isOwn } from "./isOwn.js";
import { checkRealDirectory, makePrivateDirectory } from "./makePrivateDirectory.js";
import { processLock } from "./processLock.js";
import { readReceivedFile } from "./readReceivedFile.js";
import { unsafePath } from "./unsafePath.js";
import { writeFileAtomic } from "./writeFileAtomic.js";

const LOCK = "lock";
const MARKER = "marker";
/** The lock and what its makers leave when they are killed; what `writeWhole` leaves then. */
const LOCK_NAMES = /^(?:lock(?:\.[\da-f-]+)*|\.[\da-f-]{36}\.partial)$/;
const MAX_MARKER_BYTES = 1000;
const PERMISSIONS_OF_OTHERS = 0o077;

/**
 * A private folder that can only come from this package, on this machine: this user owns it, nobody else can write to it, and a marker in
 * it names the folder itself (its number in the file system and its time of creation), so one that was copied or unpacked is not taken.
 * One process at a time is in it. Only names that belong there are ever deleted.
 */
export class MarkedDirectory {
  readonly #unlock: () => void;
  readonly #id: string;
  #left = false;

  /**
   * Makes the folder, or enters the one that a killed process has left.
   *
   * @param target what the folder is for, in errors
   * @param contents the names that belong in it, besides its own
   * @throws FileError `UNSAFE_PATH` where anything else is there, `TARGET_BUSY` where another process is in it; nothing is changed then
   */
  constructor(
    readonly path: string,
    target: string,
    readonly contents: RegExp,
  ) {
    this.#unlock = this.#enter(target);
    this.#id = idOf(path);
  }

  /** Whether the path still is the folder that was entered. */
  get isSame(): boolean {
    try {
      return idOf(this.path) === this.#id && lstatSync(this.path).isDirectory();
    } catch {
      return false;
    }
  }

  /** Deletes what belongs in it, but for `kept`. */
  clear(...kept: readonly string[]): void {
    if (!this.isSame) return;
    // By name, so that what a kill leaves follows from when it came: the journal goes before the rest.
    for (const name of readdirSync(this.path).sort()) {
      const isOurs = this.contents.test(name) || (LOCK_NAMES.test(name) && name !== LOCK);
      if (isOurs && !kept.includes(name)) rmSync(join(this.path, name), { recursive: true, force: true });
    }
  }

  /** Leaves it to the next process, with nothing but `kept` in it. */
  leave(...kept: readonly string[]): void {
    if (this.#left) return;
    this.clear(...kept);
    this.#left = true;
    if (this.isSame) this.#unlock();
  }

  /** Deletes it. What does not belong there stays, and the folder with it. */
  remove(): void {
    if (this.#left) return;
    this.clear();
    // While the lock is held: whoever has it next makes another marker.
    if (this.isSame) rmSync(join(this.path, MARKER), { force: true });
    this.leave();
    try {
      rmdirSync(this.path);
    } catch {
      // Another process is in it already, or something else is.
    }
  }

  #enter(target: string): () => void {
    for (let attempt = 1; ; attempt++) {
      try {
        makePrivateDirectory(this.path);
        this.#check();
        const unlock = processLock(join(this.path, LOCK), target);
        try {
          if (!this.#check()) writeFileAtomic(join(this.path, MARKER), markerOf(this.path), 0o600);
          return unlock;
        } catch (error) {
          unlock();
          throw error;
        }
      } catch (error) {
        // Whoever was in it may have removed it at that very moment.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === 10) throw error;
      }
    }
  }

  /** Makes sure that all of it is ours. @returns whether there is a marker: a process may be killed before it has made it */
  #check(): boolean {
    const { path } = this;
    const names = readdirSync(path);
    const hint = `Move it away or delete it, or write to another path.`;
    const other = names.find((name) => name !== MARKER && !LOCK_NAMES.test(name) && !this.contents.test(name));
    if (other !== undefined) throw unsafePath(join(path, other), "is not one of our files", hint);
    if (names.includes(MARKER)) {
      if (isMarkerOf(path, readReceivedFile(path, MARKER, MAX_MARKER_BYTES).toString())) return true;
      throw unsafePath(path, "was made elsewhere, and copied or unpacked here", hint);
    }
    const stats = checkRealDirectory(path);
    const isBegun = names.every((name) => LOCK_NAMES.test(name)) && isOwn(path, stats, PERMISSIONS_OF_OTHERS);
    if (!isBegun) throw unsafePath(path, "was not made by this package", hint);
    return false;
  }
}

function idOf(path: string): string {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return `${dev} ${ino}`;
}

function markerOf(path: string): string {
  const { ino, birthtimeNs } = lstatSync(path, { bigint: true });
  return `${JSON.stringify({ madeBy: "archive-frames", inode: String(ino), born: String(birthtimeNs) })}\n`;
}

function isMarkerOf(path: string, text: string): boolean {
  const { ino, birthtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  try {
    const marker: unknown = JSON.parse(text);
    if (!isObject(marker) || marker.madeBy !== "archive-frames" || marker.inode !== String(ino)) return false;
    // Some file systems do not know when a folder was made: it is 0, or the time of the last change.
    return marker.born === String(birthtimeNs) || birthtimeNs === 0n || birthtimeNs === ctimeNs;
  } catch {
    return false;
  }
}
