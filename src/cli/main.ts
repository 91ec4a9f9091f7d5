#!/usr/bin/env node
import { Command } from "commander";
import { ArchiveError } from "../service/errors/index.js";
import { VERSION } from "../service/version.js";
import { demoCommand } from "./demo.js";
import { serveCommand } from "./serve.js";

const program = new Command("archive-frames")
  .description("Dataframes from the Archive Search Service.")
  .version(VERSION)
  .showHelpAfterError()
  .addCommand(demoCommand())
  .addCommand(serveCommand());

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ArchiveError)) throw error;
  process.stderr.write(`${error.name} (${error.code}): ${error.message}\n`);
  process.exitCode = 1;
}
