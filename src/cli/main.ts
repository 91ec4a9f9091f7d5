#!/usr/bin/env node
import { reportOutputErrors } from "./print.js";
import { runCommandLine } from "./runCommandLine.js";
import { endBySignal } from "./signals.js";

reportOutputErrors();
await runCommandLine(process.argv.slice(2));
endBySignal();
