import { join } from "node:path";
import { expect } from "vitest";
import { type ArchiveClient, openArchive, type SnapshotMode } from "../../src/index.js";
import { mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { type PagedOptions, pagedArchive } from "../scan/pagedServer.js";
import { replayOf } from "./replayOf.js";

/** A directory that does not exist yet. */
export const newDirectory = () => join(temporaryFolder(), "store");

/** A row of about 4 kB that cannot be compressed, so that its page is in a file. */
export const largeRow = (id: number): object =>
  mention(id, { text: [...Array(200).keys()].map((at) => Math.sin(id * 200 + at)).join(" ") });

/** A paged server, and a client of it that records to a new snapshot: both are there until the test ends. */
export async function startRecording(service: PagedOptions, mode?: SnapshotMode) {
  const dir = newDirectory();
  return { dir, ...(await pagedArchive(service, { snapshot: { dir, mode } })) };
}

/** What something finds in the embedded archive: the same as in a replay of what it received. */
export async function recordedAndReplayed<T>(run: (archive: ArchiveClient) => Promise<T>): Promise<T> {
  const dir = newDirectory();
  await using archive = await openArchive({ announce: false, snapshot: { dir } });
  const recorded = await run(archive);
  await using replay = replayOf(dir);
  expect(await run(replay)).toEqual(recorded);
  return recorded;
}
