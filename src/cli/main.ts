#!/usr/bin/env node
import { Command } from "commander";
import { ArchiveError } from "../errors/index.js";
import { VERSION } from "../util/version.js";
import { doctorCommand } from "./doctor.js";
import { COMMANDER_OUTPUT, printErrorLines, printUnknownError } from "./print.js";

const program = new Command("archive-frames")
  .description("Dataframes from the Archive Search Service.")
  .version(VERSION)
  .showHelpAfterError();

try {
  // The doctor has to come also where the library itself cannot be loaded.
  if (process.argv[2] !== "doctor") {
    const { commands } = await import("./commands.js");
    for (const command of commands()) program.addCommand(command);
  }
  program.addCommand(doctorCommand());
  printSafely(program);
  await program.parseAsync();
} catch (error) {
  if (error instanceof ArchiveError) printErrorLines([`${error.name} (${error.code}): ${error.message}`]);
  else printUnknownError(error);
  if (error instanceof ArchiveError && error.code === "ENGINE_MISSING") {
    printErrorLines(["archive-frames doctor looks for what else is missing."]);
  }
  process.exitCode = 1;
}

/** Commands that are added do not inherit how their parent prints. */
function printSafely(command: Command): void {
  command.configureOutput(COMMANDER_OUTPUT);
  for (const each of command.commands) printSafely(each);
}
