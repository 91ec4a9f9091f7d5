#!/usr/bin/env node
import { reportOutputErrors } from "./print.js";
import { runCommandLine } from "./runCommandLine.js";

reportOutputErrors();
await runCommandLine(process.argv.slice(2));
