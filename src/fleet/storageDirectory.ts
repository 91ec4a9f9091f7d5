import { join } from "node:path";
import { invalid, nonEmptyString } from "../errors/validators.js";
import { cacheDirectory } from "../snapshots/snapshotOptions.js";

/**
 * The directory that the workers and the coordinator of a fleet share.
 *
 * @param given a path; undefined for a directory of this user, which is the same for every process on this machine
 */
export function storageDirectory(given: unknown): string {
  if (given === undefined || given === null) return cacheDirectory(undefined, "fleet");
  const path = nonEmptyString("storage", given, "/mnt/shared/fleet");
  if (/^[a-z\d+.-]{2,}:\/\//i.test(path) || path.includes("\0")) {
    const hint = "Give a directory that all machines share, for example /mnt/shared/fleet";
    throw invalid(
      "storage",
      path,
      path.startsWith("s3:") ? `${hint}. A bucket can be mounted: mount-s3 my-bucket /mnt/shared` : `${hint}.`,
    );
  }
  return join(path);
}
