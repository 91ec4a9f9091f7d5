import { type Command, InvalidArgumentError, Option } from "commander";
import { faulty } from "../errors/validators.js";
import { userPath } from "../fs/paths.js";
import { SNAPSHOT_MODES, snapshotFromEnvironment } from "../responses/options.js";
import { quoted } from "../util/text.js";

/** The kebab-case spelling of an operation: `programs-search`. The camelCase name works too. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The reverse of {@link kebabCase}. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

export function wholeNumber(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError("Give a whole number from 0.");
  return value;
}

/** Parses `--queue`. Every user of a machine can see the arguments of its processes, so they must not contain a password. */
export function queueUrl(text: string): string {
  if (!text.includes("://") || (URL.canParse(text) && !text.includes("@"))) return text;
  const hint = "Set ARCHIVE_QUEUE instead, or give the path of a file with the URL.";
  throw faulty("queue", '"…". Everybody on this machine could read its password', hint);
}

/** Adds `--snapshot` and `--snapshot-mode` to a command that sends requests. */
export function addSnapshotFlags(command: Command): Command {
  return command
    .option("--snapshot <dir>", "record responses in a directory, or replay them from there", (dir) =>
      userPath("snapshot", dir, "study/"),
    )
    .addOption(
      new Option("--snapshot-mode <mode>", "how to use the snapshot (default: auto)").choices([...SNAPSHOT_MODES]),
    );
}

/** The flags as environment variables for `openArchive()`. */
export function snapshotVariables(dir: string | undefined, mode: string | undefined): Record<string, string> {
  return {
    ...(dir === undefined ? {} : { ARCHIVE_SNAPSHOT: dir }),
    ...(mode === undefined ? {} : { ARCHIVE_SNAPSHOT_MODE: mode }),
  };
}

export function snapshotOf({ snapshot, snapshotMode }: { snapshot?: unknown; snapshotMode?: unknown }) {
  const flags = snapshotVariables(snapshot as string | undefined, snapshotMode as string | undefined);
  return snapshotFromEnvironment({ ...process.env, ...flags });
}

/** The flag of a command for an option of the library: `--max-items` for `maxItems`; undefined if the command has none. */
export function flagOf(name: string, { options }: Command): string | undefined {
  const attribute = name === "dest" ? "output" : name;
  return options.find((option) => option.attributeName() === attribute && !option.negate)?.long;
}

/** Quotes a value for a shell, if necessary. */
export function argument(value: unknown): string {
  const text = String(value);
  return /^[\w.,:/+-]+$/.test(text) ? text : quoted(text, 1000);
}
