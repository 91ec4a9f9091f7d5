import { Command } from "commander";
import { snapshotFromEnvironment } from "../responses/snapshotOptions.js";
import { operationNamed } from "../service/operations/operationNames.js";
import { SEARCHES } from "../service/operations/operations.js";
import { interruptible } from "./interruptible.js";
import { camelCase, checkParameters, kebabCase, parameterNotes, wholeNumber } from "./parameterFlags.js";
import { printJson, printLines } from "./print.js";
import { addSnapshotFlags, snapshotVariables } from "./snapshotFlags.js";
import { tableLines } from "./tableLines.js";

type Values = Readonly<Record<string, unknown>>;

/** Set by the command itself: the query is an argument, and a count starts at the first page. */
const WITHOUT_FLAG: readonly string[] = ["query", "cursor", "page"];

/**
 * `archive-frames count <search> [query]`: counts rows without fetching them.
 *
 * @example
 * program.addCommand(countCommand());
 */
export function countCommand(): Command {
  const command = new Command("count")
    .description("count the rows of a search without fetching them, and say whether the number is exact")
    .argument("<search>", SEARCHES.map(kebabCase).join(", "))
    .argument("[query]", "word or phrase to search for")
    .option("--by <group>", "mentions: one row per year, month, week, day, videotype or personid")
    .option("--groups <value...>", "the video types or ids of speakers to count")
    .option("--max-requests <n>", "maximum number of requests", wholeNumber)
    .option("--unchecked", "send values that the service is known to reject")
    .option("--json", "print JSON");
  addSnapshotFlags(command);
  for (const [name, note] of parameterNotes(SEARCHES))
    if (!WITHOUT_FLAG.includes(name)) command.option(`--${name} <value>`, note);
  return command.action(count);
}

async function count(operation: string, query: string | undefined, values: Values): Promise<void> {
  const name = operationNamed(camelCase(operation), SEARCHES);
  const { json, snapshot, snapshotMode, limit, ...rest } = values;
  checkParameters(name, { ...rest, ...(limit !== undefined && { limit }), ...(query !== undefined && { query }) });
  const options = { ...rest, ...(limit !== undefined && { limit: Number(limit) }) };
  const flags = snapshotVariables(snapshot as string | undefined, snapshotMode as string | undefined);
  const fromFlags = snapshotFromEnvironment({ ...process.env, ...flags });
  const { openArchive } = await import("../openArchive.js");
  const { toRecords } = await import("../index.js");
  await using archive = await openArchive({ snapshot: fromFlags });
  // `count` checks the combination of options: the command line is untyped.
  const found: object = await interruptible((signal) =>
    archive.count(name, query as string, { ...options, signal } as never),
  );
  const isFrame = rest.by !== undefined;
  const rows = (isFrame ? toRecords(found) : [found]) as Values[];
  if (json === true) printJson(isFrame ? rows : found);
  else printLines(tableLines(rows));
}
