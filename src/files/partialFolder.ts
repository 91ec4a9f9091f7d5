import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileFault } from "../disk/fileFault.js";
import { makeFolder } from "../disk/makeFolder.js";
import { processLock } from "../disk/processLock.js";
import { type ArchiveError, FileError } from "../service/errors/index.js";
import type { Provenance } from "../service/pages/account.js";
import type { FileTarget } from "./fileTarget.js";
import type { WriterTarget } from "./frameWriter.js";
import { addResource, checkDataPackage } from "./package/dataPackage.js";
import { fileResource } from "./package/fileResource.js";
import type { TableSchema } from "./package/tableSchema.js";

/** The longest name that the usual file systems take, in bytes. */
const LONGEST_NAME = 255;

/**
 * The folder beside a target, `climate.parquet.partial`, in which the file is made until it is whole. Only one process at
 * a time has it. What a killed process leaves in it, the next one uses or removes.
 */
export class PartialFolder {
  /** Where the finished file goes: the target, or what a link there points to. */
  readonly target: string;
  readonly path: string;
  readonly #unlock: () => void;
  #removed = false;

  /**
   * @throws FileError where nothing can be written there, or another process is at it
   */
  constructor(readonly of: FileTarget) {
    this.target = of.remote ? of.path : behindLink(of.path);
    this.path = of.remote ? join(tmpdir(), `archive-frames-${digest(of.path)}.partial`) : beside(this.target);
    try {
      if (of.described) checkDataPackage(dirname(this.target));
      if (of.look.partitionBy !== undefined) checkReplaceable(this.target);
      this.#unlock = this.#enter();
      this.#restore();
    } catch (error) {
      throw fileFault(error, of.path);
    }
  }

  /** What has been fetched so far. */
  get journal(): string {
    return join(this.path, "journal");
  }

  /** An empty place for a writer; what one before it left is removed. */
  output(): WriterTarget {
    const scratch = join(this.path, "scratch");
    for (const path of [scratch, this.#output]) rmSync(path, { recursive: true, force: true });
    mkdirSync(scratch);
    return { path: this.of.remote ? this.of.path : this.#output, scratch, name: this.of.name };
  }

  /**
   * Puts the finished output in the target's place, in one step, describes it in `datapackage.json`, and removes the folder.
   *
   * @param schema of the rows; undefined for a body as it was sent
   * @param provenance of the rows; undefined where it is not known
   */
  async publish(schema: TableSchema | undefined, provenance: Provenance | undefined): Promise<void> {
    const { of, target } = this;
    if (!of.remote) {
      const { format } = of;
      const resource = of.described
        ? await fileResource({ path: this.#output, target, format, schema, provenance })
        : undefined;
      sync(this.#output);
      this.#replace();
      sync(dirname(target), false);
      if (resource !== undefined) await addResource(dirname(target), resource);
    }
    this.remove();
  }

  /** Removes the folder and everything in it. */
  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    // The journal first: once the target is whole nobody is to go on from it.
    rmSync(this.journal, { force: true });
    this.#tidy(["lock"]);
    this.#unlock();
    try {
      rmdirSync(this.path);
    } catch {
      // Another process is in it already.
    }
  }

  /** What went wrong, as an error about the target: writers only know the place where they write. */
  fault(error: unknown): ArchiveError {
    const fault = fileFault(error, this.of.path);
    if (fault instanceof FileError && fault.path === this.#output) (fault as { path: string }).path = this.of.path;
    return fault;
  }

  /** Leaves the journal for the next time, and nothing else. */
  leave(): void {
    if (this.#removed) return;
    this.#tidy(["lock", "journal"]);
    this.#unlock();
  }

  #enter(): () => void {
    for (let attempt = 1; ; attempt++) {
      makeFolder(this.path);
      try {
        return processLock(join(this.path, "lock"), this.of.path);
      } catch (error) {
        // Whoever was in it may have removed it at that very moment.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === 10) throw error;
      }
    }
  }

  #tidy(kept: readonly string[]): void {
    try {
      for (const name of readdirSync(this.path)) {
        if (!kept.includes(name)) rmSync(join(this.path, name), { recursive: true, force: true });
      }
    } catch {
      // The folder has vanished: there is nothing to tidy.
    }
  }

  /** A file is replaced in one step; of a dataset the old folder waits aside for the moment between two. */
  #replace(): void {
    if (this.of.look.partitionBy !== undefined && existsSync(this.target)) renameSync(this.target, this.#old);
    renameSync(this.#output, this.target);
    rmSync(this.#old, { recursive: true, force: true });
  }

  /** A kill between the two steps of replacing a dataset has left the old one aside. */
  #restore(): void {
    if (!existsSync(this.#old)) return;
    if (existsSync(this.target)) rmSync(this.#old, { recursive: true, force: true });
    else renameSync(this.#old, this.target);
  }

  get #output(): string {
    return join(this.path, this.of.look.partitionBy === undefined ? `output.${this.of.format}` : "output");
  }

  get #old(): string {
    return join(this.path, "old");
  }
}

function beside(target: string): string {
  const name = `${basename(target)}.partial`;
  const fits = Buffer.byteLength(name) <= LONGEST_NAME;
  return join(dirname(target), fits ? name : `.${digest(basename(target))}.partial`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Where a link leads; anything else as it is. */
function behindLink(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") throw fileFault(error, path);
    return path;
  }
}

const DATASET = /^(?:[^/=]+=.*|.*\.parquet|datapackage\.json)$/;

/** A folder that is no dataset is not ours to replace. */
function checkReplaceable(path: string): void {
  if (!existsSync(path)) return;
  const other = readdirSync(path).find((name) => !DATASET.test(name));
  if (other === undefined) return;
  throw new FileError(`${path} holds ${other}, which is no part of a dataset.`, {
    code: "TARGET_IS_FOLDER",
    hint: "A dataset replaces its folder: give the path of a new one.",
    path,
  });
}

/** Brings a file, or all files of a folder, to the disk. */
function sync(path: string, deep = true): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder && deep) for (const name of readdirSync(path)) sync(join(path, name));
  if (isFolder && process.platform === "win32") return;
  const file = openSync(path, isFolder ? "r" : "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
