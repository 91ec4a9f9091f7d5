import { chmodSync, lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../util/isObject.js";
import { isOwn } from "./isOwn.js";
import { checkRealDirectory, makePrivateDirectory } from "./makeDirectory.js";
import { processLock } from "./processLock.js";
import { readReceivedFile } from "./readReceivedFile.js";
import { unsafePath } from "./toFileError.js";
import { PARTIAL, writeFileAtomic } from "./writeFileAtomic.js";

const LOCK = "lock";
const MARKER = "marker";
/** The lock, and leftovers of a killed process: its lock files and temporary files of `writeFileAtomic`. */
const isLockName = (name: string) => /^lock(?:\.[\da-f-]+)*$/.test(name) || PARTIAL.test(name);
const MAX_MARKER_BYTES = 1000;
const PERMISSIONS_OF_OTHERS = 0o077;

/**
 * A private directory (0700) that only this package, on this machine, can have created: this user owns it, nobody else can write to
 * it, and a marker in it identifies the directory (inode and creation time), so a copied or unpacked one is rejected. One process at
 * a time can enter it. Only files with known names are ever deleted.
 */
export class MarkedDirectory {
  readonly #unlock: () => void;
  readonly #id: string;
  #hasLeft = false;

  /** Creates the directory, or enters the one left by a killed process. */
  constructor(
    readonly path: string,
    target: string,
    readonly contents: RegExp,
  ) {
    this.#unlock = this.#enter(target);
    this.#id = idOf(path);
  }

  /** Whether the path is still the directory that was entered. */
  get isSame(): boolean {
    try {
      return idOf(this.path) === this.#id && lstatSync(this.path).isDirectory();
    } catch {
      return false;
    }
  }

  clear(...kept: readonly string[]): void {
    if (!this.isSame) return;
    // In order, so that a kill leaves a predictable state: the journal goes before the rest.
    for (const name of readdirSync(this.path).sort()) {
      const isOurs = this.contents.test(name) || (isLockName(name) && name !== LOCK);
      if (isOurs && !kept.includes(name)) rmSync(join(this.path, name), { recursive: true, force: true });
    }
  }

  /** Leaves it to the next process, with only `kept` in it. */
  leave(...kept: readonly string[]): void {
    if (this.#hasLeft) return;
    this.clear(...kept);
    this.#hasLeft = true;
    if (this.isSame) this.#unlock();
  }

  /** Deletes the directory. Foreign files stay, and the directory with them. */
  remove(): void {
    if (this.#hasLeft) return;
    this.clear();
    // Still holding the lock. The next process writes a new marker.
    if (this.isSame) rmSync(join(this.path, MARKER), { force: true });
    this.leave();
    try {
      rmdirSync(this.path);
    } catch {
      // Another process has entered it, or it contains foreign files.
    }
  }

  #enter(target: string): () => void {
    for (let attempt = 1; ; attempt++) {
      try {
        makePrivateDirectory(this.path);
        this.#check();
        const unlock = processLock(join(this.path, LOCK), target, 0o600);
        try {
          // The user, a backup or `chmod -R` may have made it readable to others.
          chmodSync(this.path, 0o700);
          if (!this.#check()) writeFileAtomic(join(this.path, MARKER), markerOf(this.path), 0o600);
          return unlock;
        } catch (error) {
          unlock();
          throw error;
        }
      } catch (error) {
        // The previous process may have removed it just now.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === 10) throw error;
      }
    }
  }

  /** Checks that all contents are ours. @returns whether there is a marker: a killed process may not have written it */
  #check(): boolean {
    const { path } = this;
    const names = readdirSync(path);
    const hint = "Move it away or delete it, or write to another path.";
    const foreign = names.find((name) => name !== MARKER && !isLockName(name) && !this.contents.test(name));
    if (foreign !== undefined) throw unsafePath(join(path, foreign), "was not written by this package", hint);
    if (names.includes(MARKER)) {
      if (isMarkerOf(path, readReceivedFile(path, MARKER, MAX_MARKER_BYTES).toString())) return true;
      throw unsafePath(path, "was created elsewhere, and copied or unpacked here", hint);
    }
    const stats = checkRealDirectory(path);
    const isJustCreated = names.every(isLockName) && isOwn(path, stats, PERMISSIONS_OF_OTHERS);
    if (!isJustCreated) throw unsafePath(path, "was not created by this package", hint);
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
    // Some file systems do not store the creation time: they report 0, or the time of the last change.
    return marker.born === String(birthtimeNs) || birthtimeNs === 0n || birthtimeNs === ctimeNs;
  } catch {
    return false;
  }
}
