import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FileError } from "../../errors/index.js";
import { processLock } from "../../fs/processLock.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { fileType, unsafePath } from "../../fs/unsafePath.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { isObject } from "../../util/isObject.js";
import type { FileResource } from "./fileResource.js";

/** The description of the files of a folder, by the standard Data Package 2. Members of others are kept as they are. */
interface DataPackage {
  readonly resources: readonly FileResource[];
  readonly [member: string]: unknown;
}

/** What is looked for, and written, beside a file. */
export const DATA_PACKAGE = "datapackage.json";

const NEW: DataPackage = { $schema: "https://datapackage.org/profiles/2.0/datapackage.json", resources: [] };

/** Faults that say that there is none. What is wrong with the folder, whoever writes there says. */
const NOT_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

const WITHOUT = "give { dataPackage: false }.";

/** A description of ten thousand datasets has about a tenth of it. */
const MAX_BYTES = 2 ** 28;

/** The standard needs fewer than ten levels. */
const MAX_DEPTH = 50;

/** How long somebody else may take to add a resource, in milliseconds. */
const PATIENCE = 10_000;

/**
 * The resource of a file, or of a dataset, in the `datapackage.json` beside it; of a link, beside what it leads to.
 *
 * @returns undefined where there is none
 * @throws FileError where that file is no data package
 */
export function findResource(path: string): FileResource | undefined {
  const own = resolve(path);
  return resourceAt(own) ?? resourceAt(behindLinks(own));
}

function resourceAt(path: string): FileResource | undefined {
  const name = basename(path);
  return readPackage(dirname(path))?.resources.find((resource) => isOf(resource, name));
}

function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Says in the `datapackage.json` of a folder what a file in it is; what it said of that file before is replaced, in its place.
 *
 * @throws FileError where it cannot be written, or is no data package
 */
export async function addResource(folder: string, resource: FileResource): Promise<void> {
  const path = join(folder, DATA_PACKAGE);
  const unlock = await lockWhenFree(lockOf(folder), path);
  try {
    const known = readPackage(folder) ?? NEW;
    const [of = ""] = [resource.path].flat();
    const [name = ""] = of.split("/");
    const others = known.resources.filter((other) => !isOf(other, name));
    const before = known.resources.findIndex((other) => isOf(other, name));
    const own = { ...resource, name: freeName(resource.name, others) };
    const resources = others.toSpliced(before < 0 ? others.length : before, 0, own);
    writeFileAtomic(path, `${JSON.stringify({ ...known, resources }, null, 2)}\n`);
  } finally {
    unlock();
  }
}

/**
 * Makes sure that a resource can be added to a folder later.
 *
 * @throws FileError where a file there is called so, and is no data package; `UNSAFE_PATH` where it or its lock is a link or a special file
 */
export function checkDataPackage(folder: string): void {
  readPackage(folder);
  const lock = lstatSync(lockOf(folder), { throwIfNoEntry: false });
  if (lock !== undefined && !lock.isFile()) throw unsafePath(lockOf(folder), `is ${fileType(lock)}, not a file`);
}

function lockOf(folder: string): string {
  return join(folder, `.${DATA_PACKAGE}.lock`);
}

/** No two resources may have one name, and names of files have more letters than those of resources. */
function freeName(name: string, others: readonly FileResource[]): string {
  const taken = new Set(others.map((other) => other.name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}

function isOf({ path }: FileResource, name: string): boolean {
  const [first] = [path].flat();
  return typeof first === "string" && (first === name || (Array.isArray(path) && first.startsWith(`${name}/`)));
}

function readPackage(folder: string): DataPackage | undefined {
  const path = join(folder, DATA_PACKAGE);
  try {
    // Some editors put a byte-order mark before it.
    const text = readReceivedFile(folder, DATA_PACKAGE, MAX_BYTES)
      .toString()
      .replace(/^\uFEFF/, "");
    const known = depthOf(text) > MAX_DEPTH ? null : (JSON.parse(text) as Partial<DataPackage> | null);
    if (Array.isArray(known?.resources) && known.resources.every(isObject)) return known as DataPackage;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (NOT_THERE.has(code)) return undefined;
    if (error instanceof FileError && !lstatSync(path).isDirectory()) throw error.advise(`Or ${WITHOUT}`);
    // What it is instead does not matter.
  }
  throw new FileError(`${path} is no data package, and what is saved beside it is described there.`, {
    code: "FILE_ERROR",
    hint: `Move it away, save to another folder, or ${WITHOUT}`,
    path,
  });
}

/** How deep the lists and objects of a text of JSON are nested: functions that call themselves for each level must not meet too many. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === "]" || char === "}") depth--;
    else if (char === '"') while (++at < text.length && text[at] !== '"') if (text[at] === "\\") at++;
  }
  return deepest;
}

/** Whoever holds it needs it for a moment only. */
async function lockWhenFree(lock: string, path: string): Promise<() => void> {
  for (let waited = 0; ; waited += 20) {
    try {
      return processLock(lock, path);
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== "TARGET_BUSY" || waited >= PATIENCE) throw error;
      await delay(20);
    }
  }
}
