import { join, resolve } from "node:path";
import { directoryStorage } from "../corpus/raw/storage.js";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonEmptyString } from "../errors/validators.js";
import { cacheDirectory } from "../responses/snapshotOptions.js";
import { bucketOf } from "./bucket.js";
import { bucketStorage, type FleetStorage } from "./bucketStorage.js";

/**
 * Opens the storage that the workers and the coordinator of a fleet share.
 *
 * @param given a directory, or `s3://bucket/prefix`; undefined for a directory of this user, which is the same for every process on this
 *   machine
 * @param cloudOptions settings of the object store
 * @throws ValidationError; ArchiveError `QUEUE_MISSING` without aws4fetch
 */
export async function openStorage(given: unknown, cloudOptions: unknown): Promise<FleetStorage> {
  if (given === undefined || given === null) return inDirectory(cacheDirectory(undefined, "fleet"));
  const path = nonEmptyString("storage", given, "/mnt/shared/fleet");
  if (path.startsWith("s3://")) {
    const bucket = bucketOf(path, cloudOptions);
    const { AwsClient } = await import("aws4fetch").catch((cause) => {
      const what = "a storage in a bucket needs aws4fetch, which cannot be loaded.";
      throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install aws4fetch@1", cause });
    });
    return bucketStorage(bucket, AwsClient);
  }
  if (!/^[a-z\d+.-]{2,}:\/\//i.test(path) && !path.includes("\0")) return inDirectory(join(path));
  const hint =
    "Give a directory that all machines share, for example /mnt/shared/fleet, or a bucket: s3://my-bucket/fleet.";
  throw invalid("storage", "…", hint);
}

function inDirectory(dir: string): FleetStorage {
  return { ...directoryStorage(dir), shown: resolve(dir) };
}
