import { Command } from "commander";
import { printLines, printText } from "./print.js";

/** `archive-frames doctor`: checks the installation and says what to type. */
export function doctorCommand(): Command {
  return new Command("doctor").description("check the installation and say what to type").action(async () => {
    const { currentEnvironment, examine, NOT_TESTED } = await import("./examine.js");
    const findings = examine(currentEnvironment());
    for (const { name, state, message, fix } of findings) {
      printLines([`${MARKS[state]} ${name.padEnd(16)} ${message}`]);
      if (fix !== undefined) printText(fix.replace(/^/gm, " ".repeat(INDENT)));
    }
    printLines(["", NOT_TESTED]);
    if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
  });
}

const MARKS = { ok: "ok     ", missing: "-      ", problem: "PROBLEM" } as const;

/** Where the message of a finding starts. */
const INDENT = 25;
