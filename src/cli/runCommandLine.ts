import { Command, CommanderError } from "commander";
import { ABORTED_HINT, ArchiveError, ValidationError } from "../errors/index.js";
import { VERSION } from "../util/version.js";
import { citeCommand } from "./cite.js";
import { corpusCommand } from "./corpus.js";
import { doctorCommand } from "./doctor.js";
import { flagOf } from "./flags.js";
import { kernelCommand } from "./kernel.js";
import { demoCommand, notebooksCommand } from "./notebooks.js";
import { archiveErrorLine, commanderOutput, printErrorLines, printUnknownError, usageError } from "./print.js";
import { runCommand } from "./run.js";
import { countCommand, saveCommand } from "./searches.js";
import { serveCommand } from "./serve.js";
import { interruption } from "./signals.js";
import { snapshotCommand } from "./snapshot.js";
import { workCommand } from "./work.js";

/**
 * Runs `archive-frames` with arguments. Prints errors instead of throwing them, and sets `process.exitCode`: 75 if the same command may
 * succeed later, otherwise 1.
 */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const program = new Command("archive-frames")
    .description("DataFrames from the Archive Search Service.")
    .version(VERSION);
  for (const command of commands()) program.addCommand(command);
  configure(program);
  let running = program;
  program.hook("preAction", (_program, command) => {
    running = command;
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed it; for --help and --version the exit code is 0.
      if (error.exitCode !== 0) process.exitCode = error.exitCode;
      return;
    }
    if (error instanceof ArchiveError) printErrorLines([errorLine(error, running)]);
    else printUnknownError(error);
    process.exitCode ??= error instanceof ArchiveError && TRY_LATER_CODES.has(error.code) ? TRY_LATER : 1;
  }
}

/** EX_TEMPFAIL of sysexits.h, for programs that retry. */
const TRY_LATER = 75;
const TRY_LATER_CODES: ReadonlySet<string> = new Set(["RATE_LIMITED", "TARGET_BUSY"]);

/** A usage error names the flag that was typed, and then the option of the library. */
function errorLine(error: ArchiveError, command: Command): string {
  const signal = interruption();
  if (error.code === "ABORTED" && signal !== undefined)
    return `archive-frames: stopped by ${signal}.${error.hint.replace(ABORTED_HINT, "")}`;
  if (!(error instanceof ValidationError)) return archiveErrorLine(error);
  const flag = error.parameter === undefined ? undefined : flagOf(error.parameter, command);
  return usageError(`error: ${flag === undefined ? "" : `${flag}: `}${error.message}`, pathOf(command));
}

/** Subcommands do not inherit these settings. */
function configure(command: Command): void {
  command.configureOutput(commanderOutput(pathOf(command))).exitOverride();
  for (const each of command.commands) configure(each);
}

/** `archive-frames kernel install` */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** All commands, in the order of the help. */
export function commands(): Command[] {
  return [
    demoCommand(),
    saveCommand(),
    countCommand(),
    corpusCommand(),
    workCommand(),
    runCommand(),
    citeCommand(),
    snapshotCommand(),
    notebooksCommand(),
    kernelCommand(),
    serveCommand(),
    doctorCommand(),
  ];
}
