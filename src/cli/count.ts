import { Command } from "commander";
import { COUNT_GROUPS } from "../call/countOptions.js";
import { SEARCHES } from "../service/operations/operations.js";
import { tableLines } from "../util/tableLines.js";
import { snapshotOf, wholeNumber } from "./flags.js";
import { printJson, printLines } from "./print.js";
import { addByFlag, addSearchFlags, searchOf } from "./searchFlags.js";
import { interruptible } from "./signals.js";

type Values = Readonly<Record<string, unknown>>;

/** `archive-frames count <search> [query]`: counts rows without fetching them. */
export function countCommand(): Command {
  const command = new Command("count")
    .description("count the rows of a search without fetching them, and say whether the number is exact")
    .option("--groups <value...>", "the video types or speaker ids to count")
    .option("--max-requests <n>", "maximum number of requests", wholeNumber)
    .option("--unchecked", "send values that the service is known to reject")
    .option("--json", "print JSON");
  addByFlag(command, "mentions: one row per group", COUNT_GROUPS);
  return addSearchFlags(command, SEARCHES, ["cursor", "page"]).action(count);
}

async function count(operation: string, position: string | undefined, values: Values): Promise<void> {
  const { name, options } = searchOf(operation, position, values, SEARCHES);
  const { json, snapshot, snapshotMode, limit, query, ...rest } = options;
  const given = { ...rest, ...(limit !== undefined && { limit: Number(limit) }) };
  const { openArchive } = await import("../openArchive.js");
  const { toRecords } = await import("../index.js");
  await using archive = await openArchive({ snapshot: snapshotOf(values) });
  // `count` checks the combination of options: the command line is untyped.
  const found: object = await interruptible((signal) =>
    archive.count(name, query as string, { ...given, signal } as never),
  );
  const isFrame = rest.by !== undefined;
  const rows = (isFrame ? toRecords(found) : [found]) as Values[];
  if (json === true) printJson(isFrame ? rows : found);
  else printLines(tableLines(rows));
}
