import { type Command, Option } from "commander";
import { SNAPSHOT_MODES } from "../responses/snapshotOptions.js";

/** Adds `--snapshot` and `--snapshot-mode` to a command that sends requests. */
export function addSnapshotFlags(command: Command): Command {
  return command
    .option("--snapshot <dir>", "record responses in a directory, or replay them from there")
    .addOption(
      new Option("--snapshot-mode <mode>", "how to use the snapshot (default: auto)").choices([...SNAPSHOT_MODES]),
    );
}

/** The environment variables that mean the same to `openArchive()`; a flag that is not given sets none. */
export function snapshotVariables(dir: string | undefined, mode: string | undefined): Record<string, string> {
  return {
    ...(dir === undefined ? {} : { ARCHIVE_SNAPSHOT: dir }),
    ...(mode === undefined ? {} : { ARCHIVE_SNAPSHOT_MODE: mode }),
  };
}
