import { chmodSync, closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ArchiveError } from "../errors/index.js";
import { MarkedDirectory } from "../fs/markedDirectory.js";
import { toFileError, unsafePath } from "../fs/toFileError.js";
import { keepMode, outputFile } from "../fs/writeFileAtomic.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import type { WriterTarget } from "./frameWriter.js";
import type { OutputPath } from "./outputPath.js";
import { addResource, checkDataPackage } from "./package/dataPackage.js";
import { fileResource } from "./package/fileResource.js";
import type { TableSchema } from "./package/tableSchema.js";

const CONTENTS = /^(?:journal|scratch|output\.[a-z]+)$/;

/**
 * The directory next to a target, `climate.parquet.partial`, in which the file is created. Only one process at a time can own it. The
 * next process uses or removes the leftovers of a killed one.
 */
export class StagingDirectory {
  /** The path of the finished file: the output path, or the destination of a link there. */
  readonly target: string;
  readonly #directory: MarkedDirectory;

  constructor(readonly output: OutputPath) {
    try {
      this.target = outputFile(output.path);
      if (output.hasDataPackage) checkDataPackage(dirname(this.target));
      this.#directory = new MarkedDirectory(`${this.target}.partial`, output.path, CONTENTS);
    } catch (error) {
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
    this.#directory.clear("journal");
    const scratch = join(this.path, "scratch");
    mkdirSync(scratch, { mode: 0o700 });
    return { path: this.#file, mode: 0o600, scratch, name: this.output.name };
  }

  /** Moves the finished output to the target atomically, describes it in `datapackage.json`, and removes this directory. */
  async publish(schema: TableSchema | undefined, provenance: Provenance | undefined): Promise<void> {
    const { output, target } = this;
    const resource = output.hasDataPackage
      ? await fileResource({ path: this.#file, target, format: output.format, schema, provenance })
      : undefined;
    sync(this.#file);
    this.#replace();
    sync(dirname(target));
    if (resource !== undefined) await addResource(dirname(target), resource);
    this.remove();
  }

  /** Removes the directory and everything that we created in it. */
  remove(): void {
    this.#directory.remove();
  }

  /** Converts a failure to an error about the target, because writers know only the path in this directory. */
  toError(error: unknown): ArchiveError {
    const failure = toFileError(error, this.output.path);
    if (failure.path === this.#file) (failure as { path: string }).path = this.output.path;
    return failure;
  }

  /** Releases the directory, but keeps the journal for the next run. */
  release(): void {
    this.#directory.leave("journal");
  }

  #replace(): void {
    this.#checkSame();
    chmodSync(this.#file, 0o666 & ~process.umask());
    keepMode(this.#file, this.target);
    renameSync(this.#file, this.target);
  }

  /** Anyone with write access to the parent directory could have replaced this directory. */
  #checkSame(): void {
    // If it is missing, the system error says more.
    lstatSync(this.path);
    if (!this.#directory.isSame) throw unsafePath(this.path, "was replaced while it was in use", "Call it again.");
  }

  get #file(): string {
    return join(this.path, `output.${this.output.format}`);
  }
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
