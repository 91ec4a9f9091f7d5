#!/usr/bin/env node
import { Command } from "commander";
import { visibleLines } from "../notebook/display/visible.js";
import { ArchiveError } from "../service/errors/index.js";
import { VERSION } from "../service/version.js";
import { doctorCommand } from "./doctor.js";

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
  await program.addCommand(doctorCommand()).parseAsync();
} catch (error) {
  if (!(error instanceof ArchiveError)) throw error;
  process.stderr.write(`${error.name} (${error.code}): ${visibleLines(error.message)}\n`);
  if (error.code === "ENGINE_MISSING") process.stderr.write("archive-frames doctor looks for what else is missing.\n");
  process.exitCode = 1;
}
