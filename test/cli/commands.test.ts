import type { Command } from "commander";
import { expect, it } from "vitest";
import { commands } from "./callCommand.js";

/** The commands that a user can type, without those that only group others. */
const leaves = (command: Command, path = command.name()): string[] =>
  command.commands.length === 0 ? [path] : command.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`));

it("the commands are those that are meant to be there", () => {
  expect(
    commands()
      .flatMap((command) => leaves(command))
      .sort(),
  ).toEqual(
    [
      ...["demo", "save", "count", "work", "run", "cite", "snapshot", "notebooks", "kernel install", "serve", "doctor"],
      ...["plan", "build", "refresh", "info", "verify", "export"].map((name) => `corpus ${name}`),
    ].sort(),
  );
});
