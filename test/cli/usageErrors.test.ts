import { describe, expect, it } from "vitest";
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
    [["sav"], "", "unknown command 'sav' (Did you mean save?)."],
    [["run"], "run", "missing required argument 'notebook'."],
    [["kernel", "install", "--prefix"], "kernel install", "option '--prefix <dir>' argument missing."],
    [
      ["save", "mentions", "--query", "x", "-o", "a.csv", "--format", "cvs"],
      "save",
      "option '-f, --format <format>' argument 'cvs' is invalid.",
    ],
    [
      ["save", "mentions", "--query", "x", "-o", "a.csv", "--limit", "0"],
      "save",
      "--limit: invalid limit: 0. Give a whole number from 1, for example limit: 50.",
    ],
    [
      ["save", "bills", "--query", "x", "-o", "a.csv", "--mindate", "2024-01-01"],
      "save",
      '--mindate: invalid option of bills: "mindate". Valid names are query, ',
    ],
    [
      ["save", "mention", "--query", "x", "-o", "a.csv"],
      "save",
      'invalid operation: "mention". Give one of "bills", "mentions", "people", "person", "programsSearch", "program". Did you mean "mentions"?',
    ],
    [["save", "mentions", "-o", "a.csv"], "save", "--query: invalid query: undefined. It is required"],
    [["save", "mentions", "--query", "x"], "save", "required option '-o, --output <path>' not specified."],
    [
      ["save", "mentions", "--query", "x", "-o", "a.csv", "--max-items", "-1"],
      "save",
      "option '--max-items <n>' argument '-1' is invalid. Give a whole number from 0.",
    ],
    [
      ["count", "mentions", "x", "--max-requests", ""],
      "count",
      "option '--max-requests <n>' argument '' is invalid. Give a whole number from 0.",
    ],
    [["count", "mentions", "x", "--by", "mont"], "count", '--by: invalid by: "mont". '],
    [["count", "mentions", "x", "--by", "month"], "count", "--by: invalid by: "],
    [
      ["save", "mentions", "limit: 5 ", "--bom", "-o", "a.parquet"],
      "save",
      "--bom: invalid bom: it applies to csv, but the format is parquet.",
    ],
    [
      ["save", "mentions", "page: 5", "--mindate", "limit: 5", "-o", "a.csv"],
      "save",
      '--mindate: invalid mindate: "limit: 5". Give a day as yyyy-mm-dd, for example mindate: "2024-02-29".',
    ],
    [["save", "program", "1-2", "-o", "a.csv"], "save", '--id: invalid id: "1-2". The service refuses public ids.'],
    [
      ["save", "mentions", "x", "-o", "a.parqet"],
      "save",
      '--output: invalid dest: "a.parqet". Use one of the extensions csv, json, jsonl, xlsx, parquet, arrow',
    ],
    [
      ["save", "mentions", "--query", "x", "-o", "datapackage.json"],
      "save",
      '--output: invalid dest: "datapackage.json". datapackage.json describes the saved files.',
    ],
    [
      ["save", "mentions", "--query", "x", "-o", "a/", "--filename", "b/c"],
      "save",
      '--filename: invalid filename: "b/c". ',
    ],
  ])("of %j is one line that points to the help", async (args, name, message) => {
    const { status, stdout, stderr } = await callCommand(root, args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines.at(-1)).toContain(`error: ${message}`);
    expect(lines.at(-1)).toMatch(
      new RegExp(`(?<=[^.?][.?]) See archive-frames ${name === "" ? "" : `${name} `}--help\\.$`),
    );
    expect(lines.filter((line) => !line.startsWith("archive-frames: using"))).toHaveLength(1);
  });
});

it("ends a process with status 1", async () => {
  const { status, stderr } = await command(root, ["sav"]);
  expect(status).toBe(1);
  expect(stderr).toBe("error: unknown command 'sav' (Did you mean save?). See archive-frames --help.\n");
});
