import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, rmdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Whether only this user can have created and changed a file or directory: this user owns it, and nobody else may write to it. Some
 * file systems do not store owners and modes (FAT, Windows drives in WSL) or map owners (NFS); there the entry must look like a
 * private directory created next to it for comparison. Always true on Windows.
 */
export function isOwn(path: string, { uid, mode }: Pick<Stats, "uid" | "mode">, refused = WRITABLE_BY_OTHERS): boolean {
  const ownUid = process.geteuid?.();
  if (ownUid === undefined) return true;
  if (uid === ownUid && (mode & refused) === 0) return true;
  const sample = privateSample(dirname(path));
  return sample !== undefined && uid === sample.uid && (mode & refused & ~sample.mode) === 0;
}

/** The stats of a new private directory; undefined if none can be created. */
function privateSample(parent: string): Stats | undefined {
  const path = join(parent, `.${randomUUID()}.partial`);
  try {
    mkdirSync(path, 0o700);
  } catch {
    return undefined;
  }
  try {
    return lstatSync(path);
  } finally {
    rmdirSync(path);
  }
}
