import { Command } from "commander";
import { KERNEL_NAME, type Platform, type SpecLocation } from "../kernel/kernelspec/kernelSpec.js";
import { printLines } from "./print.js";

/** `archive-frames kernel install | status | remove`: registers the notebook kernel with Jupyter, without Python. */
export function kernelCommand(platform?: Platform): Command {
  const command = new Command("kernel").description("register the notebook kernel with Jupyter");
  withLocation(command.command("install").description("register the kernel with Jupyter")).action(
    async (options: SpecLocation) => {
      const { installSpec } = await import("../kernel/kernelspec/kernelSpec.js");
      const path = installSpec(options, platform);
      printLines([`Installed ${path}`, `Choose "TypeScript (${options.name})" in Jupyter.`]);
    },
  );
  withLocation(command.command("status").description("check whether the kernel is registered and up to date")).action(
    async (options: SpecLocation) => {
      const { specStatus } = await import("../kernel/kernelspec/kernelSpec.js");
      const { ok, path, version, problems } = specStatus(options, platform);
      if (path !== undefined) printLines([version === undefined ? path : `${path} (version ${version})`]);
      printLines(problems);
      if (ok) printLines(["The kernel is ready."]);
      else process.exitCode = 1;
    },
  );
  withLocation(command.command("remove").description("remove the kernel from Jupyter")).action(
    async (options: SpecLocation) => {
      const { removeSpec } = await import("../kernel/kernelspec/kernelSpec.js");
      const path = removeSpec(options, platform);
      printLines([path === undefined ? "Nothing to remove." : `Removed ${path}`]);
    },
  );
  return command;
}

function withLocation(command: Command): Command {
  return command
    .option("--user", "for the current user (the default)")
    .option("--prefix <dir>", "below <dir>/share/jupyter")
    .option("--sys-prefix", "in the active virtual environment")
    .option("--name <name>", "name of the kernel", KERNEL_NAME);
}
