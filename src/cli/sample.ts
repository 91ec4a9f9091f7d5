import { Command, Option } from "commander";
import { oneOf } from "../errors/validators.js";
import { SAVE_FORMATS, type SaveFormat } from "../files/saveFormat.js";
import { PERIODS } from "../util/period.js";
import { snapshotOf, wholeNumber } from "./flags.js";
import { printErrorLines, printLines } from "./print.js";
import { addByFlag, addColumnsFlag, addSearchFlags, searchOf } from "./searchFlags.js";
import { interruptible } from "./signals.js";

type Values = Readonly<Record<string, unknown>>;

/** `archive-frames sample mentions [query]`: draws random rows of a search, for `archive-frames code`. */
export function sampleCommand(): Command {
  const command = new Command("sample")
    .description("draw random rows of a search and write them to a file, for example for coding")
    .requiredOption("-o, --output <path>", "file, or directory (ends with /, exists, or has no extension)")
    .addOption(new Option("-f, --format <format>", "default: the extension of the file").choices([...SAVE_FORMATS]))
    .option("--rows <n>", "rows to draw", wholeNumber)
    .option("--seed <n>", "random seed (default: 1)", wholeNumber)
    .option("--pages <n>", "pages to draw the rows from, each one request (default: 20)", wholeNumber)
    .option("--unchecked", "send values that the service is known to reject");
  addByFlag(command, "draw from every period separately", PERIODS);
  return addSearchFlags(addColumnsFlag(command), ["mentions"], ["cursor", "page"]).action(sample);
}

async function sample(operation: string, position: string | undefined, values: Values): Promise<void> {
  const { name, options } = searchOf(operation, position, values, ["mentions"]);
  const { output, format, columns, snapshot, snapshotMode, by, limit, query, ...rest } = options;
  const strata = by === undefined ? undefined : oneOf("by", by, PERIODS);
  const given = { ...rest, strata, ...(limit !== undefined && { limit: Number(limit) }) };
  const { openArchive } = await import("../openArchive.js");
  const { provenanceOf, saveFrame } = await import("../index.js");
  await using archive = await openArchive({ snapshot: snapshotOf(values) });
  // `sample` checks the combination of options: the command line is untyped.
  const frame = await interruptible((signal) => archive.sample(name, query as string, { ...given, signal } as never));
  const names = (columns as string[] | undefined)?.map((name) => oneOf("columns", name, frame.columns));
  const path = await saveFrame(names === undefined ? frame : frame.select(...names), output as string, {
    format: format as SaveFormat as never,
  });
  const { note } = provenanceOf(frame)?.sample ?? {};
  if (note !== undefined) printErrorLines([note]);
  printLines([path]);
}
