import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** What may stand in the place of a file of ours, made by its path and that of a victim. */
export const IMPOSTORS: Readonly<Record<string, (path: string, victim: string) => unknown>> = {
  "a link": (path, victim) => symlinkSync(victim, path),
  "a dangling link": (path) => symlinkSync(join(path, "../nowhere"), path),
  "a hard link": (path, victim) => linkSync(victim, path),
  "a FIFO": (path) => execFileSync("mkfifo", ["-m", "600", path]),
  "a folder": (path) => mkdirSync(path),
};
