import { existsSync, type Stats, statSync } from "node:fs";

/** What a path leads to; undefined if nothing is there, which includes a path through a file. */
export function statOf(path: string): Stats | undefined {
  return existsSync(path) ? statSync(path) : undefined;
}
