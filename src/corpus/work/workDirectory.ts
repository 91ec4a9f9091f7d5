import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OutputPath } from "../../files/outputPath.js";
import { StagingDirectory } from "../../files/stagingDirectory.js";
import { makePrivateDirectory } from "../../fs/makeDirectory.js";
import { toFileError } from "../../fs/toFileError.js";
import { removeFrozenTables } from "../tables/frozenTables.js";

const PART = ".parquet";
const STAGING = ".parquet.partial";
const UNIT_FILE = /^([\da-f]{12}-[\da-z.-]+?)\.parquet(?:\.partial)?$/;
const SCRATCH = /^\.[\da-f-]{36}\.tables$/;

/** `work/` of a corpus: the journals of unfinished units, and the rows of finished ones until they are merged. */
export class WorkDirectory {
  readonly path: string;

  /** @throws FileError if it belongs to another user */
  constructor(dir: string) {
    this.path = join(dir, "work");
    try {
      makePrivateDirectory(this.path);
    } catch (error) {
      throw toFileError(error, this.path);
    }
  }

  /** The rows of a finished unit. */
  part(unit: string): string {
    return join(this.path, `${unit}${PART}`);
  }

  /** Whether a unit is finished, but not merged. */
  hasPart(unit: string): boolean {
    return existsSync(this.part(unit));
  }

  /** Whether responses of an unfinished unit are here. */
  hasJournal(unit: string): boolean {
    return existsSync(join(this.path, `${unit}${STAGING}`, "journal"));
  }

  /** Enters the directory of an unfinished unit. */
  stage(unit: string): StagingDirectory {
    return new StagingDirectory(outputOf(this.part(unit)));
  }

  /** Removes the files of a unit that has been merged. The journal goes first: a later refresh must not resume it. */
  remove(unit: string): void {
    if (existsSync(`${this.part(unit)}.partial`)) this.stage(unit).remove();
    rmSync(this.part(unit), { force: true });
  }

  /**
   * Removes what a killed process has left: unfinished files of tables, directories of readers, journals of finished units, and the files of units that are
   * already merged, which a later refresh would take for new.
   *
   * @param missing the names of the units that are not merged
   */
  clean(missing: ReadonlySet<string>): void {
    removeFrozenTables(dirname(this.path));
    for (const name of readdirSync(this.path)) {
      if (SCRATCH.test(name)) rmSync(join(this.path, name), { recursive: true, force: true });
      const unit = UNIT_FILE.exec(name)?.[1];
      if (unit === undefined) continue;
      if (!missing.has(unit)) this.remove(unit);
      else if (name.endsWith(STAGING) && this.hasPart(unit)) this.stage(unit).remove();
    }
  }
}

function outputOf(path: string): OutputPath {
  return { path, format: "parquet", name: "mentions", isRemote: false, hasDataPackage: false, formatOptions: {} };
}
