import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { placeInside, readInside } from "../corpus/files.js";
import { FileError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { makeDirectory } from "../fs/makeDirectory.js";
import { toInputError, withFileErrors } from "../fs/toFileError.js";
import { userPath } from "../fs/userPath.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { cacheDirectory } from "../responses/snapshotOptions.js";

/** Where workers put the windows they have fetched, by relative path. */
export interface FleetStorage {
  /** The address as messages show it. */
  readonly shown: string;
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** @returns undefined if there is no such file */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>;
  remove(path: string): Promise<void>;
}

/**
 * Opens the storage that the workers and the coordinator of a fleet share. Links in a directory are not followed.
 *
 * @param given a directory. Default: a directory in this user's cache, the same for every process on this machine
 * @throws ValidationError; FileError if the directory cannot be created
 */
export function openStorage(given: unknown): FleetStorage {
  const dir = userPath("storage", given ?? cacheDirectory(undefined, "fleet"), "/mnt/shared/fleet");
  if (/^[a-z\d+.-]{2,}:\/\//i.test(dir))
    throw invalid("storage", "…", "Give a directory that all machines share, for example /mnt/shared/fleet.");
  makeDirectory(dir);
  return {
    shown: resolve(dir),
    put: async (path, content) => withFileErrors(dir, () => writeFileAtomic(placeInside(dir, path), content, 0o600)),
    read: async (path, maxBytes) => {
      try {
        return readInside(dir, path, maxBytes);
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === "EACCES" ? ofAnotherUser(dir) : toInputError(error, dir);
      }
    },
    remove: async (path) => withFileErrors(dir, () => rmSync(placeInside(dir, path), { force: true })),
  };
}

/** Files in a directory are readable by their user only. */
function ofAnotherUser(dir: string): FileError {
  const hint = "Run the coordinator and all workers as the same user.";
  return new FileError(`the storage at ${dir} has files of another user.`, { code: "FILE_ERROR", hint, path: dir });
}
