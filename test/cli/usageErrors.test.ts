import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { withFlags } from "../../src/cli/withFlags.js";
import { temporaryFolder } from "../files/temporary.js";
import { callCommand } from "./callCommand.js";
import { command } from "./command.js";

const root = temporaryFolder();

describe("a usage error", () => {
  it.each([
    [
      ["save", "mentions", "-o", "x.csv", "--querry", "x"],
      "save",
      "unknown option '--querry' (Did you mean --query?).",
    ],
    [["save", "mentions", "-o", "x.csv", "-q"], "save", "unknown option '-q'."],
    [["sav"], "", "unknown command 'sav' (Did you mean save?)."],
    [["run"], "run", "missing required argument 'notebook'."],
    [["kernel", "install", "--name"], "kernel install", "option '--name <name>' argument missing."],
    [["kernel", "install", "--user", "--sys-prefix"], "kernel install", 'invalid location: "--user --sys-prefix". '],
    [
      ["save", "mentions", "--query", "x", "-o", "a.csv", "--format", "cvs"],
      "save",
      "option '-f, --format <format>' argument 'cvs' is invalid.",
    ],
    [["save", "mentions", "--query", "x", "-o", "a.csv", "--limit", "0"], "save", "invalid --limit: "],
    [["save", "mentions", "--query", "x", "-o", "a/", "--filename", "b/c"], "save", "invalid --filename: "],
  ])("of %j is one line that points to the help", async (args, name, message) => {
    const { status, stdout, stderr } = await callCommand(root, args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines.at(-1)).toContain(`error: ${message}`);
    expect(lines.at(-1)).toMatch(new RegExp(` See archive-frames ${name === "" ? "" : `${name} `}--help\\.$`));
    expect(lines.filter((line) => !line.startsWith("archive-frames: using"))).toHaveLength(1);
  });
});

it("ends a process with status 1", async () => {
  const { status, stderr } = await command(root, ["sav"]);
  expect(status).toBe(1);
  expect(stderr).toBe("error: unknown command 'sav' (Did you mean save?). See archive-frames --help.\n");
});

describe("withFlags", () => {
  const { options } = commands().find((each) => each.name() === "save") ?? { options: [] };

  it.each([
    [
      "invalid maxItems: -1. Give a whole number, for example maxItems: 50.",
      "invalid --max-items: -1. Give a whole number, for example --max-items 50.",
    ],
    ['Give overflow: "sheets" or overflow: "error".', "Give --overflow sheets or --overflow error."],
    ['For example partitionBy: { year: "begintime" }.', "For example --partition-by year:begintime."],
    [
      "write to another path, or give { resume: false } to discard it.",
      "write to another path, or give --no-resume to discard it.",
    ],
    ['replay it: { snapshot: { dir: "a b", mode: "replay" } }.', 'replay it: --snapshot "a b" --snapshot-mode replay.'],
    ["To send it anyway, set { unchecked: true }.", "To send it anyway, set --unchecked."],
    ["Give a query. The format of a file is its own.", "Give a query. The format of a file is its own."],
    ['invalid engine: "x". No limit.', 'invalid engine: "x". No limit.'],
  ])("%s", (message, expected) => {
    expect(withFlags(message, options)).toBe(expected);
  });
});
