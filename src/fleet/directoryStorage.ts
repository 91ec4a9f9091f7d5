import { rmSync } from "node:fs";
import { placeInside, readInside } from "../corpus/files.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { FleetStorage } from "./bucketStorage.js";

/** The files of a fleet in a directory. Links are not followed. */
export function directoryStorage(dir: string): Omit<FleetStorage, "shown"> {
  return {
    put: async (path, content) => writeFileAtomic(placeInside(dir, path), content, 0o600),
    read: async (path, maxBytes) => readInside(dir, path, maxBytes),
    remove: async (path) => rmSync(placeInside(dir, path), { force: true }),
  };
}
