#!/usr/bin/env node
import { runCommandLine } from "./runCommandLine.js";

await runCommandLine(process.argv.slice(2));
