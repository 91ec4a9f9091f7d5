import { Command, InvalidArgumentError, Option } from "commander";
import type { ArchiveClient } from "../client.js";
import { SAVE_FORMATS } from "../files/saveFormat.js";
import { type OpenArchiveOptions, openArchive } from "../openArchive.js";
import type { SaveOptions } from "../scan/saveOperation.js";
import { operationNamed } from "../service/operations/operationNames.js";
import { type OperationName, operations } from "../service/operations/operations.js";
import { snapshotOf } from "../snapshots/snapshotOptions.js";
import { printLines } from "./print.js";

type Open = (options?: OpenArchiveOptions<"dataframe", "polars">) => Promise<ArchiveClient>;
type Values = Readonly<Record<string, unknown>>;

/** Names on the command line, besides the camelCase ones: `archive-frames save programs-search`. */
const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * `archive-frames save <operation>`: the result of an operation as a file.
 *
 * @example
 * program.addCommand(saveCommand());
 */
export function saveCommand(open: Open = openArchive): Command {
  const names = (Object.keys(operations) as OperationName[]).map(dashed);
  const command = new Command("save")
    .description("write the result of a search or a lookup to a file; run again, it goes on where it was stopped")
    .argument("<operation>", names.join(", "))
    .requiredOption(
      "-o, --output <path>",
      "file; or folder (ends in /, exists, or has no extension) for <operation>.<format>",
    )
    .addOption(new Option("-f, --format <format>", "default: by the extension, else csv").choices([...SAVE_FORMATS]))
    .option("--max-items <n>", "write so many rows at most", wholeNumber)
    .option("--first-page", "write the first page only")
    .option("--unchecked", "send what the service is known to refuse: a public program id, a range of dates")
    .option("--filename <name>", "name of the file in the folder")
    .option("--resume", "go on with an unfinished harvest, however old")
    .option("--no-resume", "begin anew, and discard an unfinished harvest")
    .option("--no-data-package", "say nothing of the file in datapackage.json")
    .option("--bom", "csv: begin with a byte-order mark")
    .option("--excel-safe", "csv: keep text that looks like a formula from being executed")
    .option("--overflow <how>", "xlsx: rows beyond a sheet go to further sheets (sheets) or are an error (error)")
    .option(
      "--partition-by <column...>",
      "parquet: a folder of files by column, or by year:, month: or day: of a moment",
    )
    .option("--snapshot <dir>", "keep the answers of the service in a folder, or take them from there")
    .addOption(new Option("--snapshot-mode <mode>", "default: auto").choices(["record", "replay", "auto", "refresh"]))
    .showHelpAfterError();
  for (const [name, note] of parameterNotes()) command.option(`--${name} <value>`, note);
  return command.action(async (operation: string, values: Values) => {
    const path = await save(open, operation, values);
    printLines([path]);
  });
}

async function save(open: Open, operation: string, values: Values): Promise<string> {
  const camel = operation.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  const name = operationNamed(camel);
  const { output, firstPage, partitionBy, resume, maxItems, snapshot, snapshotMode, dataPackage, ...rest } = values;
  const stopped = new AbortController();
  // A second Ctrl+C ends the process as usual.
  process.once("SIGINT", () => stopped.abort());
  const options: SaveOptions & Values = {
    ...rest,
    ...(firstPage === true ? { paginate: false } : {}),
    ...(maxItems === undefined ? {} : { maxItems: maxItems as number }),
    ...(typeof resume === "boolean" ? { resume } : {}),
    ...(dataPackage === false ? { dataPackage } : {}),
    ...(partitionBy === undefined ? {} : { partitionBy: (partitionBy as string[]).map(partitionKey) as never }),
    signal: stopped.signal,
  };
  const named = {
    ...(snapshot === undefined ? {} : { ARCHIVE_SNAPSHOT: snapshot as string }),
    ...(snapshotMode === undefined ? {} : { ARCHIVE_SNAPSHOT_MODE: snapshotMode as string }),
  };
  await using archive = await open({ snapshot: snapshotOf({ ...process.env, ...named }) });
  // What goes with what is checked there: a command line has no types.
  return await archive.save(name, output as string, options as never);
}

/** Every parameter of every operation, with the operations that take it. */
function parameterNotes(): Map<string, string> {
  const notes = new Map<string, string>();
  const takers = new Map<string, string[]>();
  for (const [operation, { parameters }] of Object.entries(operations)) {
    for (const [name, { note }] of Object.entries(parameters)) {
      if (!notes.has(name)) notes.set(name, note);
      takers.set(name, [...(takers.get(name) ?? []), dashed(operation)]);
    }
  }
  return new Map([...notes].map(([name, note]) => [name, `${note} (${takers.get(name)?.join(", ")})`]));
}

/** `congress`, or `month:begintime`. */
function partitionKey(text: string): unknown {
  const [, part, column] = /^(year|month|day):(.+)$/.exec(text) ?? [];
  return part === undefined ? text : { [part]: column };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError("It must be a whole number from 0.");
  return value;
}
