#!/usr/bin/env node
import { Command } from "commander";
import { ArchiveError, ValidationError } from "../errors/index.js";
import { VERSION } from "../util/version.js";
import { doctorCommand } from "./doctor.js";
import { commanderOutput, printErrorLines, printUnknownError, usageError } from "./print.js";
import { withFlags } from "./withFlags.js";

const program = new Command("archive-frames")
  .description("DataFrames from the Archive Search Service.")
  .version(VERSION);

let running = program;
program.hook("preAction", (_program, command) => {
  running = command;
});

try {
  // The doctor must also work if the library cannot be loaded.
  if (process.argv[2] !== "doctor") {
    const { commands } = await import("./commands.js");
    for (const command of commands()) program.addCommand(command);
  }
  program.addCommand(doctorCommand());
  configureOutput(program);
  await program.parseAsync();
} catch (error) {
  if (error instanceof ArchiveError) printErrorLines([errorLine(error)]);
  else printUnknownError(error);
  if (error instanceof ArchiveError && error.code === "ENGINE_MISSING") {
    printErrorLines(["To check the installation, type: archive-frames doctor"]);
  }
  process.exitCode = 1;
}

function errorLine(error: ArchiveError): string {
  const message = withFlags(error.message, running.options);
  if (error instanceof ValidationError) return usageError(`error: ${message}`, pathOf(running));
  return `${error.name} (${error.code}): ${message}`;
}

/** Added commands do not inherit the output configuration of their parent. */
function configureOutput(command: Command): void {
  command.configureOutput(commanderOutput(pathOf(command)));
  for (const each of command.commands) configureOutput(each);
}

/** `archive-frames kernel install` */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
