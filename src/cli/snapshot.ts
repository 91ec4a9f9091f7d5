import { Command } from "commander";
import { pluralize } from "../util/text.js";
import { type Output, printing } from "./print.js";

/** `archive-frames snapshot <dir>`: verifies a snapshot. */
export function snapshotCommand(): Command {
  return new Command("snapshot")
    .description("verify the files of a snapshot; exit with 1 if something was changed")
    .argument("<dir>", "directory of the snapshot")
    .option("--json", "as JSON")
    .action(printing(snapshot));
}

async function snapshot(dir: string): Promise<Output> {
  const { verifySnapshot } = await import("../responses/snapshots.js");
  const problems = await verifySnapshot(dir);
  const ok = problems.length === 0;
  if (!ok) process.exitCode = 1;
  const lines = [...problems.map(({ message }) => `PROBLEM  ${message}`), pluralize(problems.length, "problem")];
  return { json: { dir, ok, problems }, lines: ok ? ["ok"] : lines };
}
