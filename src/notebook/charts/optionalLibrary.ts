import { ArchiveError } from "../../errors/index.js";

/** Charts need a library or a font. */
export function missing(what: string, hint: string, cause?: unknown): ArchiveError {
  return new ArchiveError(what, { code: "CHARTS_MISSING", hint, cause });
}

/**
 * Loads optional packages. Their types are written where they are used, so that this package compiles without them.
 *
 * @throws ArchiveError `CHARTS_MISSING` if they cannot be loaded
 */
export async function optional<T>(what: string, packages: string, load: () => Promise<unknown>): Promise<T> {
  try {
    return (await load()) as T;
  } catch (cause) {
    const names = packages.replaceAll(/(?<=\w)@\d+/g, "").replace(" ", " and ");
    throw missing(`${what} need ${names}, which cannot be loaded.`, `Run: npm install ${packages}`, cause);
  }
}
