import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ArchiveError } from "../../errors/index.js";
import { fileType, toInputError, unsafePath } from "../../fs/fileErrors.js";
import { processLock } from "../../fs/processLock.js";
import { readReceivedFile } from "../../fs/receivedFile.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { isObject } from "../../util/objects.js";
import type { FileResource } from "./fileResource.js";

/** The files of a directory, as described by Data Package 2. Unknown members are preserved. */
interface DataPackage {
  readonly resources: readonly FileResource[];
  readonly [member: string]: unknown;
}

export const DATA_PACKAGE_FILE = "datapackage.json";

const EMPTY_PACKAGE: DataPackage = { $schema: "https://datapackage.org/profiles/2.0/datapackage.json", resources: [] };

/** System errors for a missing file. A missing directory is reported on writing. */
const NOT_FOUND_CODES: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

const OPT_OUT = "give { dataPackage: false }.";

const MAX_BYTES = 2 ** 28;

/** How long to wait for another process that is adding a resource. */
const LOCK_TIMEOUT_MS = 10_000;

/** The description of a file in the `datapackage.json` next to it, or next to the destination of a link. */
export function findResource(path: string): FileResource | undefined {
  const absolute = resolve(path);
  return resourceAt(absolute) ?? (existsSync(absolute) ? resourceAt(realpathSync(absolute)) : undefined);
}

function resourceAt(path: string): FileResource | undefined {
  const name = basename(path);
  return readPackage(dirname(path), "read")?.resources.find((resource) => resource.path === name);
}

/** Adds a resource to the `datapackage.json` of a directory. Replaces an earlier description of the same file in place. */
export async function addResource(directory: string, resource: FileResource): Promise<void> {
  const path = join(directory, DATA_PACKAGE_FILE);
  const unlock = await lockWhenFree(lockOf(directory), path);
  try {
    const current = readPackage(directory) ?? EMPTY_PACKAGE;
    const index = current.resources.findIndex(({ path }) => path === resource.path);
    const resources = index < 0 ? [...current.resources, resource] : current.resources.with(index, resource);
    writeFileAtomic(path, `${JSON.stringify({ ...current, resources }, null, 2)}\n`);
  } finally {
    unlock();
  }
}

/** Checks that {@link addResource} will work for a directory. */
export function checkDataPackage(directory: string): void {
  readPackage(directory);
  const lock = lstatSync(lockOf(directory), { throwIfNoEntry: false });
  if (lock !== undefined && !lock.isFile()) throw unsafePath(lockOf(directory), `is ${fileType(lock)}, not a file`);
}

function lockOf(directory: string): string {
  return join(directory, `.${DATA_PACKAGE_FILE}.lock`);
}

function readPackage(directory: string, purpose: "read" | "write" = "write"): DataPackage | undefined {
  const path = join(directory, DATA_PACKAGE_FILE);
  try {
    // Some editors add a byte-order mark.
    const text = readReceivedFile(directory, DATA_PACKAGE_FILE, MAX_BYTES)
      .toString()
      .replace(/^\uFEFF/, "");
    const content = JSON.parse(text) as Partial<DataPackage> | null;
    // Throws a RangeError if it is nested too deeply to be written again.
    JSON.stringify(content);
    if (Array.isArray(content?.resources) && content.resources.every(isObject)) return content as DataPackage;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (NOT_FOUND_CODES.has(code)) return undefined;
    if (!(error instanceof SyntaxError || error instanceof RangeError || error instanceof ArchiveError))
      throw toInputError(error, path);
    if (error instanceof ArchiveError && !lstatSync(path).isDirectory())
      throw purpose === "read" ? error : error.advise(`Or ${OPT_OUT}`);
    // Falls through: it is not a data package.
  }
  throw new ArchiveError(`${path} is not a data package, but saved files are described there.`, {
    code: "FILE_ERROR",
    hint:
      purpose === "read" ? "Move it away, or correct it." : `Move it away, save to another directory, or ${OPT_OUT}`,
    path,
  });
}

/** Waits for the lock, which other processes hold only briefly. */
async function lockWhenFree(lock: string, path: string): Promise<() => void> {
  for (let waited = 0; ; waited += 20) {
    try {
      return processLock(lock, path);
    } catch (error) {
      if (!(error instanceof ArchiveError) || error.code !== "TARGET_BUSY" || waited >= LOCK_TIMEOUT_MS) throw error;
      await delay(20);
    }
  }
}
