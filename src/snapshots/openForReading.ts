import { SnapshotError } from "../errors/index.js";
import { optionObject, wording } from "../errors/wording.js";
import { DEFAULTS } from "../service/http/options.js";
import type { IndexHeader } from "./indexLine.js";
import { SnapshotStore } from "./snapshotStore.js";

/**
 * Opens a snapshot to inspect its content.
 *
 * @throws SnapshotError `NO_SNAPSHOT` or `SNAPSHOT_DAMAGED`
 */
export function openForReading(dir: string): SnapshotStore & { readonly newest: IndexHeader } {
  const { maxBodyBytes } = DEFAULTS;
  const store = new SnapshotStore(dir, { service: undefined, now: Date.now, maxBodyBytes });
  if (store.newest === undefined) throw noSnapshot(dir);
  return store as SnapshotStore & { newest: IndexHeader };
}

/** The error for a directory without a snapshot. */
export function noSnapshot(dir: string): SnapshotError {
  return new SnapshotError(`there is no snapshot in ${dir}.`, {
    code: "NO_SNAPSHOT",
    hint: wording`Check the path, or record one: ${optionObject("snapshot", { dir, mode: "record" })}.`,
    path: dir,
  });
}
