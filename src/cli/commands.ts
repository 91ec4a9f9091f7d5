import type { Command } from "commander";
import { citeCommand } from "./cite.js";
import { corpusCommand } from "./corpus.js";
import { countCommand } from "./count.js";
import { demoCommand } from "./demo.js";
import { doctorCommand } from "./doctor.js";
import { kernelCommand } from "./kernel.js";
import { notebooksCommand } from "./notebooks.js";
import { runCommand } from "./run.js";
import { saveCommand } from "./save.js";
import { serveCommand } from "./serve.js";
import { snapshotCommand } from "./snapshot.js";
import { workCommand } from "./work.js";

/** All commands, in the order of the help. Each declares its flags and imports what it does when it runs. */
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
