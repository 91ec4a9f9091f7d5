import { Command } from "commander";
import { type InstallOptions, installSpec } from "../notebook/kernelspec/installSpec.js";
import { KERNEL_NAME } from "../notebook/kernelspec/kernelSpec.js";
import { type RemoveOptions, removeSpec } from "../notebook/kernelspec/removeSpec.js";
import { type StatusOptions, specStatus } from "../notebook/kernelspec/specStatus.js";
import { type Surroundings, surroundings } from "../notebook/kernelspec/surroundings.js";

/**
 * `archive-frames kernel install|status|remove`: makes the notebook kernel known to Jupyter, without Python.
 *
 * @example
 * program.addCommand(kernelCommand());
 */
export function kernelCommand(around: Surroundings = surroundings()): Command {
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const command = new Command("kernel").description("the notebook kernel: make it known to Jupyter, or look at that");
  placed(command.command("install").description("make the kernel known to Jupyter"))
    .option("--preload", "declare archive, pl, display, show and chart before the first cell")
    .action((options: InstallOptions) => {
      say(`Installed ${installSpec(options, around)}\nChoose "TypeScript (${options.name})" in Jupyter.`);
    });
  placed(command.command("status").description("is the kernel known to Jupyter, and does it fit this version?")).action(
    (options: StatusOptions) => {
      const { ok, path, version, faults, hidden } = specStatus(options, around);
      if (path !== undefined) say(version === undefined ? path : `${path} (version ${version})`);
      for (const fault of faults) say(fault);
      for (const other of hidden) say(`Not used, since the one above comes first: ${other}`);
      if (ok) say("All is well.");
      else process.exitCode = 1;
    },
  );
  placed(command.command("remove").description("make Jupyter forget the kernel")).action((options: RemoveOptions) => {
    const path = removeSpec(options, around);
    say(path === undefined ? "There was nothing to remove." : `Removed ${path}`);
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
