import { Command } from "commander";
import { DISPLAY_NAME, installSpec } from "../kernel/kernelSpec.js";
import { printLines } from "./print.js";

/** `archive-frames kernel install`: registers the notebook kernel with Jupyter, without Python. */
export function kernelCommand(): Command {
  const command = new Command("kernel").description("register the notebook kernel with Jupyter");
  command
    .command("install")
    .description("register the kernel with Jupyter")
    .option("--prefix <dir>", "below <dir>/share/jupyter (default: for the current user)")
    .action(({ prefix }: { prefix?: string }) =>
      printLines([
        `Installed ${installSpec(prefix)}`,
        `Choose "${DISPLAY_NAME}" in Jupyter. All projects of this user use this copy.`,
      ]),
    );
  return command;
}
