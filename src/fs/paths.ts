import { type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { invalid, nonEmptyString } from "../errors/validators.js";

/** Resolves `~` in a path typed by the user. Every function that takes a path begins with this. */
export function userPath(name: string, value: unknown, example = "out/"): string {
  const path = nonEmptyString(name, value, example);
  if (path.includes("\0")) throw invalid(name, value, `Give a path, for example ${name}: "${example}".`);
  if (path === "-") {
    const hint = 'Give the path of a file. Only "archive-frames save -o -" writes to standard output.';
    throw invalid(name, value, hint);
  }
  const isHome = path === "~" || path.startsWith("~/") || (process.platform === "win32" && path.startsWith("~\\"));
  return isHome ? join(homedir(), path.slice(1)) : path;
}

/** The stats of a path, following links; undefined if nothing can be seen there, even for a path through a file. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
