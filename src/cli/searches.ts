import { Command, Option } from "commander";
import type { ArchiveClientOptions } from "../call/clientContext.js";
import type { ArchiveClient } from "../client.js";
import { invalid } from "../errors/validators.js";
import { SAVE_FORMATS } from "../files/saveFormat.js";
import type { SaveOptions } from "../scan/saveOperation.js";
import {
  firstArgument,
  type Operation,
  type OperationName,
  operationNamed,
  operations,
  SEARCHES,
} from "../service/operations/operations.js";
import { PERIODS } from "../util/period.js";
import { tableLines } from "../util/text.js";
import { addSnapshotFlags, argument, camelCase, kebabCase, snapshotOf, wholeNumber } from "./flags.js";
import { CommandProgress, errorTerminal, type Output, outputStream, printing, printLines } from "./print.js";
import { interruptible } from "./signals.js";

type Values = Readonly<Record<string, unknown>>;

const OPERATIONS = Object.keys(operations) as OperationName[];
/** They select a single page. */
const POSITIONS = ["cursor", "page"];

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
        "default: the extension of the file, csv without one; jsonl for standard output, which also takes csv",
      ).choices(SAVE_FORMATS),
    )
    .option("--max-items <n>", "maximum number of rows", wholeNumber)
    .option("--columns <name...>", "the columns to write, in this order (default: all)", names)
    .option("--first-page", "write only the first page")
    .option("--unchecked", "send values that the service is known to reject: a public program id, a date range")
    .option("--filename <name>", "name of the file in the directory")
    .option("--resume", "resume an unfinished download of any age")
    .option("--no-resume", "start over and discard an unfinished download")
    .option("--no-data-package", "do not describe the file in datapackage.json")
    .option("--bom", "csv: start with a byte order mark")
    .option("--excel-safe", "csv: escape text that a spreadsheet would execute as a formula");
  return addSearchFlags(command, OPERATIONS).action(save);
}

/** Names that are apart, or separated by commas. */
const names = (value: string, before: readonly string[] = []) => [...before, ...value.split(",")];

async function save(operation: string, position: string | undefined, values: Values): Promise<void> {
  const search = searchOf(operation, position, values, OPERATIONS);
  const { output, firstPage, snapshot, snapshotMode, ...rest } = search.options;
  const options: SaveOptions & Values = { ...rest, ...(firstPage === true && { paginate: false }) };
  const progress = new CommandProgress(errorTerminal());
  // For scripts, standard output gets only the path, or the rows.
  if (output === "-") {
    const { saveToOutput } = await import("./saveToOutput.js");
    await withArchive(
      values,
      (archive, signal) => saveToOutput(archive, search.name, { ...options, signal }),
      outputStream().isTTY ? false : progress.report,
    );
    // If standard output was closed, nobody reads the summary.
    if (process.exitCode === undefined) progress.printSummary();
    return;
  }
  const path = await withArchive(
    values,
    (archive, signal) => archive.save(search.name, output as string, { ...options, signal } as never),
    progress.report,
  );
  progress.printSummary();
  printLines([path]);
}

/** `archive-frames count <search> [query]`: counts rows without fetching them. */
export function countCommand(): Command {
  const command = new Command("count")
    .description("count the rows of a search without fetching them, and say whether the number is exact")
    .option("--by <group>", `mentions: one row per group: ${PERIODS.join(", ")}`)
    .option("--max-requests <n>", "maximum number of requests", wholeNumber)
    .option("--unchecked", "send values that the service is known to reject")
    .option("--json", "print JSON");
  return addSearchFlags(command, SEARCHES, POSITIONS).action(printing(count));
}

async function count(operation: string, position: string | undefined, values: Values): Promise<Output> {
  const { name, options } = searchOf(operation, position, values, SEARCHES);
  const { json, snapshot, snapshotMode, query, ...rest } = options;
  const { toRecords } = await import("../index.js");
  const result: object = await withArchive(values, (archive, signal) =>
    archive.count(name, query as string, { ...rest, signal } as never),
  );
  if (rest.by === undefined) return { json: result, lines: tableLines([result as Values]) };
  const rows = toRecords(result);
  return { json: rows, lines: tableLines(rows) };
}

/** Calls a method of a client, which checks the combination of options: the command line is untyped. */
async function withArchive<T>(
  values: Values,
  call: (archive: ArchiveClient, signal: AbortSignal) => Promise<T>,
  progress?: ArchiveClientOptions["progress"],
): Promise<T> {
  const { openArchive } = await import("../openArchive.js");
  await using archive = await openArchive({ snapshot: snapshotOf(values), progress });
  return await interruptible((signal) => call(archive, signal));
}

/**
 * Adds the arguments and flags of a search or lookup: operation, query, a flag per parameter, and snapshot flags.
 *
 * @param names the operations that the command accepts
 * @param without parameters that the command does not accept
 */
function addSearchFlags(command: Command, names: readonly OperationName[], without: readonly string[] = []): Command {
  const isSearch = names.every((name) => "query" in operations[name].parameters);
  command
    .argument(isSearch ? "<search>" : "<operation>", names.map(kebabCase).join(", "))
    .argument("[query]", isSearch ? "as --query" : "as --query; as --id of a lookup");
  const parameters = names.flatMap((name) => Object.entries((operations[name] as Operation).parameters));
  for (const [name, { note, type }] of new Map(parameters)) {
    const option = new Option(`--${name} <value>`, note);
    if (!without.includes(name)) command.addOption(type === "number" ? option.argParser(wholeNumber) : option);
  }
  return addSnapshotFlags(command);
}

/**
 * Returns the operation and its options, including the positional parameter.
 *
 * @param position the second argument
 * @throws ValidationError for a parameter given twice
 */
function searchOf<N extends OperationName>(
  operation: string,
  position: string | undefined,
  values: Values,
  names: readonly N[],
): { name: N; options: Values } {
  const name = operationNamed(camelCase(operation), names);
  const first = firstArgument(name);
  if (position === undefined) return { name, options: values };
  if (values[first] !== undefined && values[first] !== position)
    throw invalid(first, position, `It was given twice. Leave out either --${first} or ${argument(position)}.`);
  return { name, options: { ...values, [first]: position } };
}
