import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, rmdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";

/** Write permission of group and others. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Whether only this user can have made and changed a file or folder: this user owns it, and nobody else may write to it.
 *
 * Some file systems do not store owners and modes (FAT, Windows drives in WSL), or map owners (NFS). There it must look the same
 * as a folder that is made next to it for comparison. Always true on Windows, which has no owners of this kind.
 *
 * @param refused the permissions that nobody else may have
 */
export function isOwn(path: string, { uid, mode }: Pick<Stats, "uid" | "mode">, refused = WRITABLE_BY_OTHERS): boolean {
  const own = process.geteuid?.();
  if (own === undefined) return true;
  if (uid === own && (mode & refused) === 0) return true;
  const made = privateFolder(dirname(path));
  return made !== undefined && uid === made.uid && (mode & refused & ~made.mode) === 0;
}

/** How the file system stores a private folder of this user; undefined where none can be made. */
function privateFolder(parent: string): Stats | undefined {
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
