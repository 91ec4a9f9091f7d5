import { Command, Option } from "commander";
import { SAVE_FORMATS } from "../files/saveFormat.js";
import type { SaveOptions } from "../scan/saveOperation.js";
import { type OperationName, operations } from "../service/operations/operations.js";
import { snapshotOf, wholeNumber } from "./flags.js";
import { outputStream, printErrorLines, printLines } from "./print.js";
import type { SaveProgress } from "./progress.js";
import { addColumnsFlag, addSearchFlags, searchOf } from "./searchFlags.js";
import { interruptible } from "./signals.js";

type Values = Readonly<Record<string, unknown>>;

const OPERATIONS = Object.keys(operations) as OperationName[];

/** `archive-frames save <operation> [query]`: writes the result of an operation to a file. */
export function saveCommand(): Command {
  const command = new Command("save")
    .description("write the result of a search or lookup to a file; an interrupted run resumes when repeated")
    .requiredOption(
      "-o, --output <path>",
      "file; directory (ends with /, exists, or has no extension) for <operation>.<format>; or - for standard output",
    )
    .addOption(
      new Option(
        "-f, --format <format>",
        "default: the extension of the file, otherwise csv; jsonl for standard output, which also takes arrow-stream",
      ).choices([...SAVE_FORMATS, "arrow-stream"]),
    )
    .option("--max-items <n>", "maximum number of rows", wholeNumber)
    .option("--first-page", "write only the first page")
    .option("--unchecked", "send values that the service is known to reject: a public program id, a date range")
    .option("--filename <name>", "name of the file in the directory")
    .option("--resume", "resume an unfinished download of any age")
    .option("--no-resume", "start over and discard an unfinished download")
    .option("--no-data-package", "do not describe the file in datapackage.json")
    .option("--bom", "csv: start with a byte order mark")
    .option("--excel-safe", "csv: escape text that a spreadsheet would execute as a formula")
    .option(
      "--partition-by <column...>",
      "parquet: a directory per value of a column, or per year:, month: or day: of a timestamp column",
    );
  addSearchFlags(addColumnsFlag(command), OPERATIONS);
  return command.action(async (operation: string, position: string | undefined, values: Values) => {
    const { name, options } = searchOf(operation, position, values, OPERATIONS);
    const { SaveProgress } = await import("./progress.js");
    const progress = new SaveProgress();
    const path = await save(name, options, progress);
    // Standard output was closed: nobody reads the summary.
    if (process.exitCode !== undefined) return;
    // For scripts, standard output gets only the path, or the rows.
    if (progress.summary !== undefined) printErrorLines([progress.summary]);
    if (path !== undefined) printLines([path]);
  });
}

/** @returns the path of the file; undefined for standard output */
async function save(name: OperationName, values: Values, { report }: SaveProgress): Promise<string | undefined> {
  const { output, firstPage, partitionBy, resume, maxItems, snapshot, snapshotMode, dataPackage, ...rest } = values;
  const options: SaveOptions & Values = {
    ...rest,
    ...(firstPage === true ? { paginate: false } : {}),
    ...(maxItems === undefined ? {} : { maxItems: maxItems as number }),
    ...(typeof resume === "boolean" ? { resume } : {}),
    ...(dataPackage === false ? { dataPackage } : {}),
    ...(partitionBy === undefined ? {} : { partitionBy: (partitionBy as string[]).map(partitionKey) as never }),
  };
  const { openArchive } = await import("../openArchive.js");
  if (output === "-") {
    const { checkOutputOptions, saveToOutput } = await import("./saveToOutput.js");
    checkOutputOptions(options);
    const progress = outputStream().isTTY ? false : report;
    await using archive = await openArchive({ snapshot: snapshotOf(values), progress });
    await interruptible((signal) => saveToOutput(archive, name, { ...options, signal }));
    return undefined;
  }
  await using archive = await openArchive({ snapshot: snapshotOf(values), progress: report });
  // `save` checks the combination of options: the command line is untyped.
  return await interruptible((signal) => archive.save(name, output as string, { ...options, signal } as never));
}

/** Parses `congress` or `month:begintime`. */
function partitionKey(text: string): unknown {
  const [, part, column] = /^(year|month|day):(.+)$/.exec(text) ?? [];
  return part === undefined ? text : { [part]: column };
}
