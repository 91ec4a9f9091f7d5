import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a directory for what outlives a test file: `RUN_DIRECTORY`. It is removed after the run. */
export default function setup(): () => void {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "archive-frames-run-")));
  process.env.RUN_DIRECTORY = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
