import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs something with a temporary folder, which is removed afterwards. */
export async function withFolder(run) {
  const folder = mkdtempSync(join(tmpdir(), "archive-frames-bench-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
