import { expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { callCommand } from "./callCommand.js";
import { command } from "./command.js";

const root = temporaryFolder();

/** Command lines, and what is said of each. */
const ERRORS: Readonly<Record<string, string>> = {
  "save mentions -o x.csv --querry x": "unknown option '--querry' (Did you mean --query?).",
  sav: "unknown command 'sav' (Did you mean save?).",
  "bills budget": "unknown command 'bills'. Type archive-frames save bills … -o bills.csv.",
  "save mentions x -o a.csv --columns id,persn": 'invalid column in select: "persn". Did you mean "person"?',
  run: "missing required argument 'notebook'.",
  "kernel install --prefix": "option '--prefix <dir>' argument missing.",
  "save mentions x -o a.csv --format cvs": "option '-f, --format <format>' argument 'cvs' is invalid.",
  "save mentions x -o a.csv --limit 0": "--limit: invalid limit: 0. Give a whole number from 1, for example limit: 50.",
  "save bills x -o a.csv --mindate 2024-01-01":
    '--mindate: invalid option of bills: "mindate". Valid names are query, ',
  "save mention x -o a.csv":
    'invalid operation: "mention". Give one of "bills", "mentions", "people", "person", "programsSearch", "program". Did you mean "mentions"?',
  "save mentions -o a.csv": "--query: invalid query: undefined. It is required",
  "save mentions x": "required option '-o, --output <path>' not specified.",
  "save mentions x -o a.csv --max-items -1":
    "option '--max-items <n>' argument '-1' is invalid. Give a whole number from 0.",
  "count mentions x --max-requests 1.5":
    "option '--max-requests <n>' argument '1.5' is invalid. Give a whole number from 0.",
  "count mentions x --by mont": '--by: invalid by: "mont". ',
  "count mentions x --by month": "--by: invalid by: ",
  "save mentions limit:5 --bom -o a.parquet": "--bom: invalid bom: it applies to csv, but the format is parquet.",
  "save mentions page:5 --mindate limit:5 -o a.csv":
    '--mindate: invalid mindate: "limit:5". Give a day as yyyy-mm-dd, for example mindate: "2024-02-29".',
  "save program 1-2 -o a.csv": '--id: invalid id: "1-2". The service refuses public ids.',
  "save mentions x -o a.parqet":
    '--output: invalid dest: "a.parqet". Use one of the extensions csv, json, jsonl, xlsx, parquet, arrow',
  "save mentions x -o datapackage.json":
    '--output: invalid dest: "datapackage.json". datapackage.json describes the saved files.',
  "save mentions x -o a/ --filename b/c": '--filename: invalid filename: "b/c". ',
};

it.each(Object.entries(ERRORS))("%s: one line says %s and points to the help", async (line, message) => {
  const args = line.split(" ");
  const { status, stdout, stderr } = await callCommand(root, args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  const lines = stderr.trimEnd().split("\n");
  expect(lines.at(-1)).toContain(`error: ${message}`);
  const command = ["sav", "bills"].includes(args[0] as string)
    ? ""
    : args[0] === "kernel"
      ? "kernel install "
      : `${args[0]} `;
  expect(lines.at(-1)).toMatch(new RegExp(`(?<=[^.?][.?]) See archive-frames ${command}--help\\.$`));
  expect(lines.filter((each) => !each.startsWith("archive-frames: using"))).toHaveLength(1);
});

it("ends a process with status 1", async () => {
  const { status, stderr } = await command(root, ["sav"]);
  expect(status).toBe(1);
  expect(stderr).toBe("error: unknown command 'sav' (Did you mean save?). See archive-frames --help.\n");
});
