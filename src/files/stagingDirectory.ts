import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { ArchiveError } from "../errors/index.js";
import { makePrivateDirectory, userDirectory } from "../fs/makeDirectory.js";
import { MarkedDirectory } from "../fs/markedDirectory.js";
import { toFileError, unsafePath } from "../fs/toFileError.js";
import { keepMode, outputFile } from "../fs/writeFileAtomic.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { sha256Of } from "../util/sha256Of.js";
import type { WriterTarget } from "./frameWriter.js";
import type { OutputPath } from "./outputPath.js";
import { addResource, checkDataPackage } from "./package/dataPackage.js";
import { fileResource } from "./package/fileResource.js";
import type { TableSchema } from "./package/tableSchema.js";
import { checkReplaceable } from "./partitions.js";

const CONTENTS = /^(?:journal|scratch|old|output(?:\.[a-z]+)?)$/;

/**
 * The directory next to a target, `climate.parquet.partial`, in which the file is created. For an object store it is in the user's
 * state directory. Only one process at a time can own it. The next process uses or removes the leftovers of a killed one.
 */
export class StagingDirectory {
  /** The path of the finished file: the output path, or the destination of a link there. */
  readonly target: string;
  readonly #directory: MarkedDirectory;

  constructor(readonly output: OutputPath) {
    try {
      this.target = output.isRemote ? output.path : outputFile(output.path);
      if (output.hasDataPackage) checkDataPackage(dirname(this.target));
      if (output.formatOptions.partitionBy !== undefined) checkReplaceable(this.target);
      const path = output.isRemote ? remoteStagingPath(output.path) : `${this.target}.partial`;
      this.#directory = new MarkedDirectory(path, output.path, CONTENTS);
    } catch (error) {
      throw toFileError(error, output.path);
    }
    try {
      this.#restore();
    } catch (error) {
      this.release();
      throw toFileError(error, output.path);
    }
  }

  get path(): string {
    return this.#directory.path;
  }

  get journal(): string {
    return join(this.path, "journal");
  }

  /** A clean output for a writer. Removes the leftovers of an earlier writer. */
  writerTarget(): WriterTarget {
    this.#checkSame();
    this.#directory.clear("journal", "old");
    const scratch = join(this.path, "scratch");
    mkdirSync(scratch, { mode: 0o700 });
    const { isRemote, name, path } = this.output;
    return { path: isRemote ? path : this.#file, mode: 0o600, scratch, name, isRemote };
  }

  /** Moves the finished output to the target atomically, describes it in `datapackage.json`, and removes this directory. */
  async publish(schema: TableSchema | undefined, provenance: Provenance | undefined): Promise<void> {
    const { output, target } = this;
    if (!output.isRemote) {
      const { format } = output;
      const resource = output.hasDataPackage
        ? await fileResource({ path: this.#file, target, format, schema, provenance })
        : undefined;
      for (const path of entriesOf(this.#file)) sync(path);
      this.#replace();
      sync(dirname(target));
      if (resource !== undefined) await addResource(dirname(target), resource);
    }
    this.remove();
  }

  /** Removes the directory and everything that we created in it. */
  remove(): void {
    // If the old dataset could not be moved back, this is its only copy.
    if (existsSync(this.#old)) this.release();
    else this.#directory.remove();
  }

  /** Converts a failure to an error about the target, because writers know only the path in this directory. */
  toError(error: unknown): ArchiveError {
    const failure = toFileError(error, this.output.path);
    if (failure.path === this.#file) (failure as { path: string }).path = this.output.path;
    return failure;
  }

  /** Releases the directory, but keeps the journal for the next run. */
  release(): void {
    this.#directory.leave("journal", "old");
  }

  /** Replaces a file atomically. A dataset takes two steps: the old directory is moved aside first. */
  #replace(): void {
    this.#checkSame();
    for (const path of entriesOf(this.#file)) openToOthers(path);
    keepMode(this.#file, this.target);
    if (this.output.formatOptions.partitionBy === undefined || !existsSync(this.target)) {
      renameSync(this.#file, this.target);
      return;
    }
    renameSync(this.target, this.#old);
    try {
      // Check again now that no other process can reach it: it may have changed since the call began.
      checkReplaceable(this.#old);
      renameSync(this.#file, this.target);
    } catch (error) {
      renameSync(this.#old, this.target);
      throw error;
    }
    rmSync(this.#old, { recursive: true, force: true });
  }

  /** Anyone with write access to the parent directory could have replaced this directory. */
  #checkSame(): void {
    // If it is missing, the system error says more.
    lstatSync(this.path);
    if (!this.#directory.isSame) throw unsafePath(this.path, "was replaced while it was in use", "Call it again.");
  }

  /** Restores the old dataset if a process was killed between the two steps of `#replace`. */
  #restore(): void {
    const old = lstatSync(this.#old, { throwIfNoEntry: false });
    if (old === undefined) return;
    if (lstatSync(this.target, { throwIfNoEntry: false }) === undefined) renameSync(this.#old, this.target);
    else rmSync(this.#old, { recursive: true, force: true });
  }

  get #file(): string {
    const { formatOptions, format } = this.output;
    return join(this.path, formatOptions.partitionBy === undefined ? `output.${format}` : "output");
  }

  get #old(): string {
    return join(this.path, "old");
  }
}

/** In a private directory, because other users could guess and take a name in a shared one. */
function remoteStagingPath(url: string): string {
  const directory = userDirectory("state");
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    const advice = "It is for unfinished work. Set XDG_STATE_HOME to use another directory.";
    throw toFileError(error, directory).advise(advice);
  }
  return join(directory, `${sha256Of(url).slice(0, 16)}.partial`);
}

function entriesOf(path: string): string[] {
  const isDirectory = statSync(path).isDirectory();
  const names = isDirectory ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
  return [path, ...names.map((name) => join(path, name))];
}

/** Gives a private file or directory the mode of a new one. */
function openToOthers(path: string): void {
  const mode = 0o777 & ~process.umask();
  chmodSync(path, statSync(path).isDirectory() ? mode : mode & 0o666);
}

function sync(path: string): void {
  const isDirectory = statSync(path).isDirectory();
  if (isDirectory && process.platform === "win32") return;
  const file = openSync(path, isDirectory ? "r" : "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
