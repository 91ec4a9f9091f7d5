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
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ArchiveError, FileError } from "../errors/index.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { MarkedDirectory } from "../fs/markedDirectory.js";
import { stateDirectory } from "../fs/stateDirectory.js";
import { toFileError } from "../fs/toFileError.js";
import { unsafePath } from "../fs/unsafePath.js";
import { keepMode } from "../fs/writeFileAtomic.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { checkReplaceable } from "./checkReplaceable.js";
import type { WriterTarget } from "./frameWriter.js";
import type { OutputPath } from "./outputPath.js";
import { addResource, checkDataPackage } from "./package/dataPackage.js";
import { fileResource } from "./package/fileResource.js";
import type { TableSchema } from "./package/tableSchema.js";

/** The longest name that the usual file systems take, in bytes. */
const LONGEST_NAME = 255;

/** What is made in the folder of a target. */
const CONTENTS = /^(?:journal|scratch|old|output(?:\.[a-z]+)?)$/;

/**
 * The folder beside a target, `climate.parquet.partial`, in which the file is made until it is whole; of an object store, in the state
 * folder of the user. Only one process at a time has it. What a killed process leaves in it, the next one uses or removes.
 */
export class StagingDirectory {
  /** Where the finished file goes: the target, or what a link there points to. */
  readonly target: string;
  readonly #folder: MarkedDirectory;

  /**
   * @throws FileError where nothing can be written there, another process is at it, or something else than our folder is in its place
   */
  constructor(readonly of: OutputPath) {
    try {
      this.target = of.remote ? of.path : behindLink(of.path);
      if (of.described) checkDataPackage(dirname(this.target));
      if (of.formatOptions.partitionBy !== undefined) checkReplaceable(this.target);
      this.#folder = new MarkedDirectory(of.remote ? away(of.path) : beside(this.target), of.path, CONTENTS);
    } catch (error) {
      throw toFileError(error, of.path);
    }
    try {
      this.#restore();
    } catch (error) {
      this.leave();
      throw toFileError(error, of.path);
    }
  }

  get path(): string {
    return this.#folder.path;
  }

  /** What has been fetched so far. */
  get journal(): string {
    return join(this.path, "journal");
  }

  /** An empty place for a writer; what one before it left is removed. */
  output(): WriterTarget {
    this.#checkSame();
    this.#folder.clear("journal", "old");
    const scratch = join(this.path, "scratch");
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

  /** Removes the folder and everything of ours in it. */
  remove(): void {
    // A dataset that could not be put back is all that there is of it.
    if (existsSync(this.#old)) this.leave();
    else this.#folder.remove();
  }

  /** What went wrong, as an error about the target: writers only know the place where they write. */
  fault(error: unknown): ArchiveError {
    const fault = toFileError(error, this.of.path);
    if (fault instanceof FileError && fault.path === this.#output) (fault as { path: string }).path = this.of.path;
    return fault;
  }

  /** Leaves the journal for the next time, and nothing else. */
  leave(): void {
    this.#folder.leave("journal", "old");
  }

  /** A file is replaced in one step; of a dataset the old folder waits aside for the moment between two. */
  #replace(): void {
    this.#checkSame();
    keepMode(this.#output, this.target);
    if (this.of.formatOptions.partitionBy === undefined || !existsSync(this.target)) {
      renameSync(this.#output, this.target);
      return;
    }
    renameSync(this.target, this.#old);
    try {
      // Now that nobody else can reach it: it may have changed since the call began.
      checkReplaceable(this.#old);
      renameSync(this.#output, this.target);
    } catch (error) {
      renameSync(this.#old, this.target);
      throw error;
    }
    rmSync(this.#old, { recursive: true, force: true });
  }

  /** Whoever can rename in the folder above can put something else in the place of ours. */
  #checkSame(): void {
    // Where it is gone, the fault of the system says more.
    lstatSync(this.path);
    if (!this.#folder.isSame) throw unsafePath(this.path, "was replaced while it was in use", "Call it again.");
  }

  /** A kill between the two steps of replacing a dataset has left the old one aside. */
  #restore(): void {
    const old = lstatSync(this.#old, { throwIfNoEntry: false });
    if (old === undefined) return;
    if (lstatSync(this.target, { throwIfNoEntry: false }) === undefined) renameSync(this.#old, this.target);
    else rmSync(this.#old, { recursive: true, force: true });
  }

  get #output(): string {
    return join(this.path, this.of.formatOptions.partitionBy === undefined ? `output.${this.of.format}` : "output");
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

/** Where unfinished work for an object store is: not under a name in a shared folder that others can guess. */
function away(address: string): string {
  const folder = stateDirectory();
  try {
    makePrivateDirectory(folder);
  } catch (error) {
    throw toFileError(error, folder).advise("Unfinished work is kept there: XDG_STATE_HOME names another place.");
  }
  return join(folder, `${digest(address)}.partial`);
}

/**
 * Where a link leads; anything else as it is. A link that somebody else has made is not followed: it may have been made to have a file
 * replaced.
 */
function behindLink(path: string): string {
  let stats: Stats;
  try {
    stats = lstatSync(path);
    if (!stats.isSymbolicLink()) return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") throw error;
    return path;
  }
  const { uid } = stats;
  if (uid !== 0 && uid !== (process.geteuid?.() ?? uid)) throw unsafePath(path, "is a link of another user");
  // One that leads nowhere is replaced.
  return existsSync(path) ? realpathSync(path) : path;
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
