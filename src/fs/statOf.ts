import { existsSync, type Stats, statSync } from "node:fs";

/** The stats of a path, following links; undefined if nothing is there, even for a path through a file. */
export function statOf(path: string): Stats | undefined {
  return existsSync(path) ? statSync(path) : undefined;
}
