import { join } from "node:path";
import type { SnapshotMode } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { type PagedOptions, pagedArchive } from "../scan/pagedServer.js";

/** A directory that does not exist yet. */
export const newDirectory = () => join(temporaryFolder(), "store");

/** A paged server, and a client of it that records to a new snapshot: both are there until the test ends. */
export async function startRecording(service: PagedOptions, mode?: SnapshotMode) {
  const dir = newDirectory();
  return { dir, ...(await pagedArchive(service, { snapshot: { dir, mode } })) };
}
