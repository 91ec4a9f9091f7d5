import type { Command } from "commander";
import { citeCommand } from "./cite.js";
import { demoCommand } from "./demo.js";
import { kernelCommand } from "./kernel.js";
import { runCommand } from "./run.js";
import { saveCommand } from "./save.js";
import { serveCommand } from "./serve.js";
import { snapshotCommand } from "./snapshot.js";

/** The commands, in the order of the help. */
export function commands(): Command[] {
  return [
    demoCommand(),
    saveCommand(),
    runCommand(),
    citeCommand(),
    snapshotCommand(),
    kernelCommand(),
    serveCommand(),
  ];
}
