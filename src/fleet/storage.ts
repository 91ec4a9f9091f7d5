import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { placeInside, readInside } from "../corpus/files.js";
import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { makeDirectory } from "../fs/makeDirectory.js";
import { userPath } from "../fs/userPath.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { cacheDirectory } from "../responses/snapshotOptions.js";
import { bucketStorage, type FleetStorage } from "./bucketStorage.js";

/**
 * Opens the storage that the workers and the coordinator of a fleet share. Links in a directory are not followed.
 *
 * @param given a directory or `s3://bucket/prefix`. Default: a directory in this user's cache, the same for every process on this machine
 * @param cloudOptions settings of the object store
 * @throws ValidationError; FileError if the directory cannot be created; ArchiveError `QUEUE_MISSING` without aws4fetch
 */
export async function openStorage(given: unknown, cloudOptions: unknown): Promise<FleetStorage> {
  const dir = userPath("storage", given ?? cacheDirectory(undefined, "fleet"), "/mnt/shared/fleet");
  if (dir.startsWith("s3://")) {
    const { AwsClient } = await import("aws4fetch").catch((cause) => {
      const what = "a storage in a bucket needs aws4fetch, which cannot be loaded.";
      throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install aws4fetch@1", cause });
    });
    return bucketStorage(dir, cloudOptions, AwsClient);
  }
  if (/^[a-z\d+.-]{2,}:\/\//i.test(dir)) {
    const hint =
      "Give a directory that all machines share, for example /mnt/shared/fleet, or a bucket: s3://my-bucket/fleet.";
    throw invalid("storage", "…", hint);
  }
  makeDirectory(dir);
  return {
    shown: resolve(dir),
    put: async (path, content) => writeFileAtomic(placeInside(dir, path), content, 0o600),
    read: async (path, maxBytes) => readInside(dir, path, maxBytes),
    remove: async (path) => rmSync(placeInside(dir, path), { force: true }),
  };
}
