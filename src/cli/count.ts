import { Command } from "commander";
import { operationNamed } from "../service/operations/operationNames.js";
import { SEARCHES } from "../service/operations/operations.js";
import {
  addSnapshotFlags,
  camelCase,
  checkParameters,
  kebabCase,
  parameterNotes,
  snapshotOf,
  wholeNumber,
} from "./flags.js";
import { printJson, printLines, tableLines } from "./print.js";
import { interruptible } from "./signals.js";

type Values = Readonly<Record<string, unknown>>;

/** Set by the command itself: the query is an argument, and a count starts at the first page. */
const WITHOUT_FLAG: readonly string[] = ["query", "cursor", "page"];

/** `archive-frames count <search> [query]`: counts rows without fetching them. */
export function countCommand(): Command {
  const command = new Command("count")
    .description("count the rows of a search without fetching them, and say whether the number is exact")
    .argument("<search>", SEARCHES.map(kebabCase).join(", "))
    .argument("[query]", "word or phrase to search for")
    .option("--by <group>", "mentions: one row per congress, year, quarter, month, week, day, videotype or personid")
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
  const { openArchive } = await import("../openArchive.js");
  const { toRecords } = await import("../index.js");
  await using archive = await openArchive({ snapshot: snapshotOf(values) });
  // `count` checks the combination of options: the command line is untyped.
  const found: object = await interruptible((signal) =>
    archive.count(name, query as string, { ...options, signal } as never),
  );
  const isFrame = rest.by !== undefined;
  const rows = (isFrame ? toRecords(found) : [found]) as Values[];
  if (json === true) printJson(isFrame ? rows : found);
  else printLines(tableLines(rows));
}
