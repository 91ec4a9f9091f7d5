import { type Command, InvalidArgumentError, Option } from "commander";
import { ValidationError } from "../errors/index.js";
import { apiNotation, type Notation } from "../errors/wording.js";
import { SNAPSHOT_MODES, snapshotFromEnvironment } from "../responses/snapshotOptions.js";
import { isObject } from "../util/isObject.js";
import { quoted } from "../util/quoted.js";

/** The kebab-case spelling of an operation: `programs-search`. The camelCase name works too. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The reverse of {@link kebabCase}. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Parses the value of a flag: a whole number from 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError("Give a whole number from 0.");
  return value;
}

/** Parses the value of `--queue`. Everybody on a machine sees the flags of its processes, so they must not contain a password. */
export function queueUrl(text: string): string {
  if (!text.includes("://") || (URL.canParse(text) && !text.includes("@"))) return text;
  throw new ValidationError('invalid queue: "…". Everybody on this machine could read its password.', {
    hint: "Set ARCHIVE_QUEUE instead, or give the path of a file with the URL.",
    parameter: "queue",
  });
}

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

/** The snapshot that the flags or the environment name. */
export function snapshotOf({ snapshot, snapshotMode }: { snapshot?: unknown; snapshotMode?: unknown }) {
  const flags = snapshotVariables(snapshot as string | undefined, snapshotMode as string | undefined);
  return snapshotFromEnvironment({ ...process.env, ...flags });
}

/**
 * Writes the options in a message as flags of a command. An option without a flag stays as in the API.
 *
 * @example
 * error.messageIn(flagNotation(command.options));
 * //=> "invalid --max-items: -1. Give a whole number from 0, for example --max-items 50."
 */
export function flagNotation(options: readonly Option[]): Notation {
  return (mention) => {
    if ("commandLine" in mention) return mention.commandLine;
    const { name, value } = mention;
    const long = options.find(
      (each) => each.attributeName() === (NAMES[name] ?? name) && each.negate === (value === false),
    )?.long;
    if (typeof long !== "string") return apiNotation(mention);
    if (value === undefined || typeof value === "boolean") return long;
    if (name !== "snapshot" || !isObject(value)) return `${long} ${argument(value)}`;
    const { dir, mode } = value;
    const directory = dir === undefined ? "" : `${long} ${argument(dir)} `;
    return `${directory}--snapshot-mode ${argument(mode)}`;
  };
}

/** Options of the API whose flag has another name. */
const NAMES: Readonly<Record<string, string>> = { dest: "output", strata: "by" };

/** A value as a shell takes it; an object as `year:begintime`. */
export function argument(value: unknown): string {
  if (isObject(value))
    return Object.entries(value)
      .map((entry) => entry.join(":"))
      .join(" ");
  const text = String(value);
  return /^[\w.,:/+-]+$/.test(text) ? text : quoted(text, 1000);
}
