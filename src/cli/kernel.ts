import { Command } from "commander";
import { type InstallOptions, installSpec } from "../kernel/kernelspec/installSpec.js";
import { KERNEL_NAME } from "../kernel/kernelspec/kernelSpec.js";
import { currentPlatform, type Platform } from "../kernel/kernelspec/platform.js";
import { type RemoveOptions, removeSpec } from "../kernel/kernelspec/removeSpec.js";
import { type StatusOptions, specStatus } from "../kernel/kernelspec/specStatus.js";
import { printLines } from "./print.js";

/**
 * `archive-frames kernel install|status|remove`: makes the notebook kernel known to Jupyter, without Python.
 *
 * @example
 * program.addCommand(kernelCommand());
 */
export function kernelCommand(around: Platform = currentPlatform()): Command {
  const command = new Command("kernel").description("the notebook kernel: make it known to Jupyter, or look at that");
  placed(command.command("install").description("make the kernel known to Jupyter"))
    .option("--preload", "declare archive, pl, display, show and chart before the first cell")
    .action((options: InstallOptions) => {
      const path = installSpec(options, around);
      printLines([`Installed ${path}`, `Choose "TypeScript (${options.name})" in Jupyter.`]);
    });
  placed(command.command("status").description("is the kernel known to Jupyter, and does it fit this version?")).action(
    (options: StatusOptions) => {
      const { ok, path, version, faults, hidden } = specStatus(options, around);
      if (path !== undefined) printLines([version === undefined ? path : `${path} (version ${version})`]);
      printLines(faults);
      printLines(hidden.map((other) => `Not used, since the one above comes first: ${other}`));
      if (ok) printLines(["All is well."]);
      else process.exitCode = 1;
    },
  );
  placed(command.command("remove").description("make Jupyter forget the kernel")).action((options: RemoveOptions) => {
    const path = removeSpec(options, around);
    printLines([path === undefined ? "There was nothing to remove." : `Removed ${path}`]);
  });
  return command;
}

function placed(command: Command): Command {
  return command
    .option("--user", "in your own folder (the default)")
    .option("--prefix <folder>", "in <folder>/share/jupyter")
    .option("--sys-prefix", "in the active virtual environment")
    .option("--name <name>", "name of the kernel", KERNEL_NAME);
}
