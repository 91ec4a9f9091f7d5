import { chmodSync, mkdtempSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

/**
 * Creates the directory for the temporary files of a run, of killed processes too: `TMPDIR`. It is removed after the run. What outlives a
 * test file is put there by its name, `RUN_DIRECTORY`. Each project calls this once. A run with failures ends with how to repeat its order.
 */
export default function setup({ vitest }: TestProject): () => void {
  if (process.env.RUN_DIRECTORY !== undefined) return () => undefined;
  const directory = realpathSync(mkdtempSync(join(fastest(), "archive-frames-run-")));
  // As the directory of temporary files of a machine: some tests act as another user.
  chmodSync(directory, 0o1777);
  process.env.RUN_DIRECTORY = directory;
  process.env.TMPDIR = directory;
  return () => {
    rmSync(directory, { recursive: true, force: true });
    if (vitest.state.getCountOfFailedTests() > 0)
      console.log(`Again in this order: ORDER=${process.env.ORDER} npm test`);
  };
}

/** In memory, where that has room and the user has not chosen a place: half of the time of corpora is waiting for the disk. */
function fastest(): string {
  const memory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (process.env.TMPDIR === undefined && bavail * bsize > 6 * 2 ** 30) return memory;
  } catch {
    // Not on this system.
  }
  return tmpdir();
}
