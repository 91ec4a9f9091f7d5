import { ArchiveClient, type ArchiveClientOptions } from "../../src/index.js";

/** A replay client on a machine without an API key. */
export function replayOf(dir: string, options: ArchiveClientOptions<"dataframe", "polars"> = {}): ArchiveClient {
  const { ARCHIVE_API_KEY } = process.env;
  delete process.env.ARCHIVE_API_KEY;
  try {
    return new ArchiveClient({ ...options, cache: undefined, snapshot: { dir, mode: "replay" } });
  } finally {
    if (ARCHIVE_API_KEY !== undefined) process.env.ARCHIVE_API_KEY = ARCHIVE_API_KEY;
  }
}
