import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { join, parse, resolve, sep } from "node:path";
import { isOwn } from "./isOwn.js";
import { toInputError, unsafePath } from "./toFileError.js";

/** The limit of Linux. */
const MAX_LINKS = 40;

/**
 * Resolves a path to read, through links of this user and of root. The path need not exist.
 *
 * @throws ArchiveError `UNSAFE_PATH` for a link of another user, who could redirect readers and writers; `FILE_ERROR` for a directory on the
 *   way that this user may not enter
 */
export function followLinks(path: string): string {
  try {
    return realPath(path);
  } catch (error) {
    throw toInputError(error, path);
  }
}

/** {@link followLinks} for writers, which convert system errors themselves. */
export function realPath(path: string): string {
  if (process.geteuid === undefined) return existsSync(path) ? realpathSync(path) : resolve(path);
  const absolute = resolve(path);
  let real = parse(absolute).root;
  const rest = absolute.slice(real.length).split(sep);
  for (let links = 0; rest.length > 0; ) {
    const next = join(real, rest.shift() as string);
    const stats = lstatSync(next, { throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) {
      // Only directories have something below them.
      if (!stats?.isDirectory()) return join(next, ...rest);
      real = next;
      continue;
    }
    const destination = resolve(real, readlinkSync(next));
    const hint = `Give the path that you mean, perhaps ${destination}.`;
    if (stats.uid !== 0 && !isOwn(next, stats, 0)) throw unsafePath(next, "is a link of another user", hint);
    if (++links > MAX_LINKS) throw unsafePath(path, "leads through too many links");
    real = parse(destination).root;
    rest.unshift(...destination.slice(real.length).split(sep));
  }
  return real;
}
