import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The hash of every file below `tables/` that has no times of this computer, by path. */
export function tableBytes(dir: string): Record<string, string> {
  const root = join(dir, "tables");
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.endsWith("runs"),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const hash = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12);
  return Object.fromEntries(paths.map((path) => [relative(root, path), hash(path)]));
}
