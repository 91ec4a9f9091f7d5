import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { ArchiveError } from "../errors/index.js";
import { makePrivateDirectory } from "../fs/directories.js";
import { toFileError, unsafePath } from "../fs/fileErrors.js";
import { processLock } from "../fs/processLock.js";
import { keepMode, outputFile } from "../fs/writeFileAtomic.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import type { WriterTarget } from "./frameWriter.js";
import type { OutputPath } from "./outputPath.js";
import { addResource, checkDataPackage } from "./package/dataPackage.js";
import { fileResource } from "./package/fileResource.js";
import type { TableSchema } from "./package/tableSchema.js";

/** Responses are removed first and the lock last, so that a new run can use or remove what a killed one left. */
const LOCK = "lock";
const RESPONSES = "responses";
const CONTENTS = /^(?:responses|scratch|output\.[a-z]+|lock(?:\.[\da-f]+)*)$/;

/**
 * The private directory next to a target, `climate.parquet.partial`, in which the file is created. One process at a time owns it. The
 * next process uses or removes what a killed one left.
 */
export class StagingDirectory {
  /** The path of the finished file: the output path, or the destination of a link there. */
  readonly target: string;
  readonly path: string;
  readonly #unlock: () => void;
  #isReleased = false;

  constructor(readonly output: OutputPath) {
    try {
      this.target = outputFile(output.path);
      if (output.hasDataPackage) checkDataPackage(dirname(this.target));
      this.path = `${this.target}.partial`;
      this.#unlock = enter(this.path, output.path);
    } catch (error) {
      throw toFileError(error, output.path);
    }
  }

  get responses(): string {
    return join(this.path, RESPONSES);
  }

  /** A target for a writer. Removes what an earlier writer left. */
  writerTarget(): WriterTarget {
    this.#clear(RESPONSES);
    const scratch = join(this.path, "scratch");
    mkdirSync(scratch, { mode: 0o700 });
    return { path: this.#file, mode: 0o600, scratch, name: this.output.name };
  }

  /** Moves the finished output to the target atomically, describes it in `datapackage.json`, and removes this directory. */
  async publish(schema: TableSchema | undefined, provenance: Provenance | undefined): Promise<void> {
    const { output, target } = this;
    sync(this.#file);
    chmodSync(this.#file, 0o666 & ~process.umask());
    keepMode(this.#file, target);
    renameSync(this.#file, target);
    if (output.hasDataPackage) {
      const resource = await fileResource({ path: target, format: output.format, schema, provenance });
      await addResource(dirname(target), resource);
    }
    this.remove();
  }

  /** Removes the directory and its contents. */
  remove(): void {
    this.#leave();
  }

  /** Converts a failure to an error about the target. */
  toError(error: unknown): ArchiveError {
    return toFileError(error, this.output.path);
  }

  /** Releases the directory, but keeps the responses for the next run. */
  release(): void {
    this.#leave(RESPONSES);
  }

  #leave(except?: string): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#clear(except);
    this.#unlock();
    try {
      rmdirSync(this.path);
    } catch {
      // It contains the responses, or another process has taken it over.
    }
  }

  #clear(except?: string): void {
    const names = existsSync(this.path) ? readdirSync(this.path).sort() : [];
    for (const name of [RESPONSES, ...names])
      if (CONTENTS.test(name) && name !== LOCK && name !== except)
        rmSync(join(this.path, name), { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.path, `output.${this.output.format}`);
  }
}

/** Creates the directory, or takes over the one that a killed process left. */
function enter(path: string, target: string): () => void {
  makePrivateDirectory(path);
  const foreign = readdirSync(path).find((name) => !CONTENTS.test(name));
  if (foreign === undefined) return processLock(join(path, LOCK), target, 0o600);
  const hint = "Move it away or delete it, or write to another path.";
  throw unsafePath(join(path, foreign), "was not written by this package", hint);
}

/** Waits until the content of a file is on the disk. */
function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
