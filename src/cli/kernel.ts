import { Command } from "commander";
import { DISPLAY_NAME, installSpec, type Platform, removeSpec, specStatus } from "../kernel/kernelSpec.js";
import { printLines } from "./print.js";

/** `archive-frames kernel install | status | remove`: registers the notebook kernel with Jupyter, without Python. */
export function kernelCommand(platform?: Platform): Command {
  const command = new Command("kernel").description("register the notebook kernel with Jupyter");
  const add = (name: string, description: string, linesOf: (prefix?: string) => string[]) =>
    command
      .command(name)
      .description(description)
      .option("--prefix <dir>", "below <dir>/share/jupyter (default: for the current user)")
      .action(({ prefix }: { prefix?: string }) => printLines(linesOf(prefix)));
  add("install", "register the kernel with Jupyter", (prefix) => [
    `Installed ${installSpec(prefix, platform)}`,
    `Choose "${DISPLAY_NAME}" in Jupyter.`,
  ]);
  add("status", "check whether the kernel is registered and up to date", (prefix) => {
    const { path, problem, fix } = specStatus(prefix, platform);
    if (problem !== undefined) process.exitCode = 1;
    return [
      ...(path === undefined ? [] : [path]),
      problem === undefined ? "The kernel is ready." : `${problem} Type: ${fix}`,
    ];
  });
  add("remove", "remove the kernel from Jupyter", (prefix) => {
    const path = removeSpec(prefix, platform);
    return [path === undefined ? "Nothing to remove." : `Removed ${path}`];
  });
  return command;
}
