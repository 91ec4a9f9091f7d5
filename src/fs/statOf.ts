import { type Stats, statSync } from "node:fs";

/** The stats of a path, following links; undefined if nothing can be seen there, even for a path through a file. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
