import { SnapshotError } from "../errors/index.js";
import { DEFAULTS } from "../service/http/options.js";
import { quoted } from "../util/quoted.js";
import type { Retrieval } from "./indexLine.js";
import { SnapshotStore } from "./snapshotStore.js";

/**
 * Opens a snapshot of which nothing but the content is wanted.
 *
 * @throws SnapshotError `NO_SNAPSHOT` or `SNAPSHOT_DAMAGED`
 */
export function openForReading(dir: string): SnapshotStore & { readonly newest: Retrieval } {
  const { maxBodyBytes } = DEFAULTS;
  const store = new SnapshotStore(dir, { service: undefined, now: Date.now, maxBodyBytes });
  if (store.newest === undefined) throw noSnapshot(dir);
  return store as SnapshotStore & { newest: Retrieval };
}

/** The error for a folder that holds no snapshot. */
export function noSnapshot(dir: string): SnapshotError {
  return new SnapshotError(`there is no snapshot in ${dir}.`, {
    code: "NO_SNAPSHOT",
    hint: `Check the path, or make one: { snapshot: { dir: ${quoted(dir, 1000)}, mode: "record" } }.`,
    path: dir,
  });
}
