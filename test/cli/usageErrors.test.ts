import { describe, expect, it } from "vitest";
import { flagNotation } from "../../src/cli/flags.js";
import { commands } from "../../src/cli/runCommandLine.js";
import { apiNotation, inApi, option, optionObject, type Wording, wording, write } from "../../src/errors/wording.js";
import { FileError } from "../../src/index.js";
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
    [["kernel", "install", "--prefix"], "kernel install", "option '--prefix <dir>' argument missing."],
    [
      ["save", "mentions", "--query", "x", "-o", "a.csv", "--format", "cvs"],
      "save",
      "option '-f, --format <format>' argument 'cvs' is invalid.",
    ],
    [["save", "mentions", "--query", "x", "-o", "a.csv", "--limit", "0"], "save", "invalid --limit: "],
    [
      ["save", "bills", "--query", "x", "-o", "a.csv", "--mindate", "2024-01-01"],
      "save",
      "--mindate does not apply to bills. It accepts --query, ",
    ],
    [["save", "programs-search", "-o", "a.csv"], "save", "programs-search requires --query."],
    [["save", "mentions", "--query", "x", "-o", "datapackage.json"], "save", "invalid --output: "],
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

describe("flagNotation", () => {
  const { options } = commands().find((each) => each.name() === "save") ?? { options: [] };
  const both = (text: Wording) => [write(text, apiNotation), write(text, flagNotation(options))];

  it.each<[Wording, string, string]>([
    [wording`Give ${option("maxItems", 50)}.`, "Give maxItems: 50.", "Give --max-items 50."],
    [wording`invalid ${option("limit")}: 0.`, "invalid limit: 0.", "invalid --limit: 0."],
    [wording`Give ${option("format", "csv")}.`, 'Give format: "csv".', "Give --format csv."],
    [wording`Give ${option("query", 'a "b')}.`, 'Give query: "a \\"b".', 'Give --query "a \\"b".'],
    [
      wording`For example ${option("partitionBy", { year: "begintime" })}.`,
      'For example partitionBy: { year: "begintime" }.',
      "For example --partition-by year:begintime.",
    ],
    [wording`Give ${optionObject("resume", false)}.`, "Give { resume: false }.", "Give --no-resume."],
    [wording`Give ${optionObject("resume", true)}.`, "Give { resume: true }.", "Give --resume."],
    [wording`Set ${optionObject("dataPackage", false)}.`, "Set { dataPackage: false }.", "Set --no-data-package."],
    [
      wording`Replay it: ${optionObject("snapshot", { dir: "a b", mode: "replay" })}.`,
      'Replay it: { snapshot: { dir: "a b", mode: "replay" } }.',
      'Replay it: --snapshot "a b" --snapshot-mode replay.',
    ],
    [
      wording`Use ${optionObject("snapshot", { mode: "auto" })}.`,
      'Use { snapshot: { mode: "auto" } }.',
      "Use --snapshot-mode auto.",
    ],
    [
      wording`Raise ${option("maxBodyBytes")}, no limit.`,
      "Raise maxBodyBytes, no limit.",
      "Raise maxBodyBytes, no limit.",
    ],
    [wording`Try again${inApi(", or raise maxRetries")}.`, "Try again, or raise maxRetries.", "Try again."],
    [wording`Check ${inApi("baseUrl", "ARCHIVE_BASE_URL")}.`, "Check baseUrl.", "Check ARCHIVE_BASE_URL."],
    ["Give a query. The limit: 1.", "Give a query. The limit: 1.", "Give a query. The limit: 1."],
  ])("%j", (text, api, flags) => {
    expect(both(text)).toEqual([api, flags]);
  });

  it("also words what was advised later, and escapes it", () => {
    const error = new FileError(`\u001b of ${"x".repeat(10)}.`, {
      hint: wording`Set ${optionObject("resume", false)}.`,
    });
    error.advise(wording`Or give ${option("filename", "\u202e")}.`);
    expect(error.message).toBe('\\u001b of xxxxxxxxxx. Set { resume: false }. Or give filename: "\\u202e".');
    expect(error.messageIn(apiNotation)).toBe(error.message);
    expect(error.messageIn(flagNotation(options))).toBe(
      '\\u001b of xxxxxxxxxx. Set --no-resume. Or give --filename "\\u202e".',
    );
  });
});
