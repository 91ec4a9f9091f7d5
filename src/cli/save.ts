import { Command, Option } from "commander";
import type { ArchiveClient } from "../client.js";
import { SAVE_FORMATS } from "../files/saveFormat.js";
import { snapshotFromEnvironment } from "../responses/snapshotOptions.js";
import type { SaveOptions } from "../scan/saveOperation.js";
import { operationNamed } from "../service/operations/operationNames.js";
import { type OperationName, operations } from "../service/operations/operations.js";
import { interruptible } from "./interruptible.js";
import { camelCase, checkParameters, kebabCase, parameterNotes, wholeNumber } from "./parameterFlags.js";
import { outputStream, printErrorLines, printLines } from "./print.js";
import type { SaveProgress } from "./saveProgress.js";
import { addSnapshotFlags, snapshotVariables } from "./snapshotFlags.js";
import { OUTPUT_CLOSED_STATUS, OutputClosed } from "./standardOutput.js";

type Values = Readonly<Record<string, unknown>>;

/**
 * `archive-frames save <operation>`: writes the result of an operation to a file.
 *
 * @example
 * program.addCommand(saveCommand());
 */
export function saveCommand(): Command {
  const names = (Object.keys(operations) as OperationName[]).map(kebabCase);
  const command = new Command("save")
    .description("write the result of a search or lookup to a file; an interrupted run resumes when repeated")
    .argument("<operation>", names.join(", "))
    .requiredOption(
      "-o, --output <path>",
      "file; directory (ends with /, exists, or has no extension) for <operation>.<format>; or - for standard output",
    )
    .addOption(
      new Option(
        "-f, --format <format>",
        "default: the extension of the file, otherwise csv; jsonl for standard output",
      ).choices([...SAVE_FORMATS]),
    )
    .option("--max-items <n>", "maximum number of rows", wholeNumber)
    .option("--first-page", "write only the first page")
    .option("--unchecked", "send values that the service is known to reject: a public program id, a date range")
    .option("--filename <name>", "name of the file in the directory")
    .option("--resume", "resume an unfinished harvest of any age")
    .option("--no-resume", "start over and discard an unfinished harvest")
    .option("--no-data-package", "do not describe the file in datapackage.json")
    .option("--bom", "csv: start with a byte order mark")
    .option("--excel-safe", "csv: escape text that a spreadsheet would execute as a formula")
    .option("--overflow <how>", "xlsx: write excess rows to more sheets (sheets) or fail (error)")
    .option(
      "--partition-by <column...>",
      "parquet: a directory per value of a column, or per year:, month: or day: of a timestamp column",
    );
  addSnapshotFlags(command);
  for (const [name, note] of parameterNotes()) command.option(`--${name} <value>`, note);
  return command.action(async (operation: string, values: Values) => {
    const { SaveProgress } = await import("./saveProgress.js");
    const progress = new SaveProgress();
    const path = await save(operation, values, progress);
    if (process.exitCode === OUTPUT_CLOSED_STATUS) return;
    // Standard output has the path only, for scripts, or the rows.
    if (progress.summary !== undefined) printErrorLines([progress.summary]);
    if (path !== undefined) printLines([path]);
  });
}

/** @returns the path of the file; undefined for standard output */
async function save(operation: string, values: Values, { report }: SaveProgress): Promise<string | undefined> {
  const name = operationNamed(camelCase(operation));
  const { output, firstPage, partitionBy, resume, maxItems, snapshot, snapshotMode, dataPackage, ...rest } = values;
  checkParameters(name, rest);
  const options: SaveOptions & Values = {
    ...rest,
    ...(firstPage === true ? { paginate: false } : {}),
    ...(maxItems === undefined ? {} : { maxItems: maxItems as number }),
    ...(typeof resume === "boolean" ? { resume } : {}),
    ...(dataPackage === false ? { dataPackage } : {}),
    ...(partitionBy === undefined ? {} : { partitionBy: (partitionBy as string[]).map(partitionKey) as never }),
  };
  const flags = snapshotVariables(snapshot as string | undefined, snapshotMode as string | undefined);
  const fromFlags = snapshotFromEnvironment({ ...process.env, ...flags });
  const { openArchive } = await import("../openArchive.js");
  if (output === "-")
    return toOutput(name, options, () =>
      openArchive({ snapshot: fromFlags, progress: outputStream().isTTY ? false : report }),
    );
  await using archive = await openArchive({ snapshot: fromFlags, progress: report });
  // `save` checks the combination of options: the command line is untyped.
  return await interruptible((signal) => archive.save(name, output as string, { ...options, signal } as never));
}

async function toOutput(
  name: OperationName,
  options: SaveOptions,
  open: () => Promise<ArchiveClient>,
): Promise<undefined> {
  const { checkOutputOptions, saveToOutput } = await import("./saveToOutput.js");
  checkOutputOptions(options);
  await using archive = await open();
  try {
    await interruptible((signal) => saveToOutput(archive, name, { ...options, signal }));
  } catch (error) {
    // A reader like `head` has what it wanted.
    if (!(error instanceof OutputClosed)) throw error;
    process.exitCode = OUTPUT_CLOSED_STATUS;
  }
}

/** Parses `congress` or `month:begintime`. */
function partitionKey(text: string): unknown {
  const [, part, column] = /^(year|month|day):(.+)$/.exec(text) ?? [];
  return part === undefined ? text : { [part]: column };
}
