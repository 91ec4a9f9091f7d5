import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonEmptyString } from "../errors/validators.js";
import { cacheDirectory } from "../responses/snapshotOptions.js";
import type { BodyStorage } from "./bodyStorage.js";
import { bucketOf } from "./bucket.js";
import { directoryStorage } from "./directoryStorage.js";
import { ObjectStorage, type Signer } from "./objectStorage.js";

/** Loads what signs requests to an object store. */
type LoadSigner = () => Promise<Signer>;

/**
 * Opens the storage that the workers and the coordinator of a fleet share.
 *
 * @param given a directory, or `s3://bucket/prefix`; undefined for a directory of this user, which is the same for every process on this
 *   machine
 * @param cloudOptions settings of the object store
 * @throws ValidationError; ArchiveError `QUEUE_MISSING` without aws4fetch, `QUEUE_FAILED` if the bucket cannot be listed
 */
export async function openStorage(
  given: unknown,
  cloudOptions: unknown,
  load: LoadSigner = () => import("aws4fetch"),
): Promise<BodyStorage> {
  if (given === undefined || given === null) return directoryStorage(cacheDirectory(undefined, "fleet"));
  const path = nonEmptyString("storage", given, "/mnt/shared/fleet");
  if (path.startsWith("s3://")) return objectStorage(path, cloudOptions, load);
  if (/^[a-z\d+.-]{2,}:\/\//i.test(path) || path.includes("\0")) {
    const hint =
      "Give a directory that all machines share, for example /mnt/shared/fleet, or a bucket: s3://my-bucket/fleet.";
    throw invalid("storage", path, hint);
  }
  return directoryStorage(join(path));
}

async function objectStorage(path: string, cloudOptions: unknown, load: LoadSigner): Promise<BodyStorage> {
  const bucket = bucketOf(path, cloudOptions);
  const signer = await load().catch((cause) => {
    const what = "a storage in a bucket needs aws4fetch, which cannot be loaded.";
    throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install aws4fetch@1", cause });
  });
  return new ObjectStorage(bucket, signer).check();
}
