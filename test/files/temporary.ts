import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A new empty folder, which is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "archive-frames-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
