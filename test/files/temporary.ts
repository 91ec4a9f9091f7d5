import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A function that creates an empty folder each time, all of them below a temporary one. */
export function newFolders(root: string): () => string {
  return () => mkdtempSync(join(root, "folder-"));
}

/** A new empty folder, which is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "archive-frames-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
