import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { camelCase, kebabCase } from "../../src/cli/flags.js";
import { temporaryFolder } from "../files/temporary.js";
import { firstArgument, type OperationName, operations } from "../service/operations.js";
import { callCommand, commands, failedWith } from "./callCommand.js";

const root = temporaryFolder();

/** Every command that takes a search, found by what it declares. */
const searching = commands().filter(({ registeredArguments }) =>
  registeredArguments.some((argument) => argument.name() === "query"),
);
const QUERIES: Readonly<Record<string, string>> = {
  programsSearch: "text:climate",
  people: "Pelosi",
  person: "6153",
  program: "683870",
};
const EXAMPLES = {
  limit: "20",
  page: "2",
  personid: "6153",
  date: "2024-01-30",
  mindate: "2024-01-01",
  maxdate: "2024-12-31",
  congress: "118",
  videotype: "Speech",
  query: "Pelosi",
  first: "Nancy",
  last: "Pelosi",
  sort: "date desc",
};
/** What a command needs besides; its output has no name of a file. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  count: ["--max-requests", "2"],
  save: ["-o", "-", "--first-page"],
};

const cases = searching.flatMap((command) =>
  (Object.keys(operations) as OperationName[])
    .filter((name) =>
      (command.registeredArguments[0] as { description: string }).description.split(", ").includes(kebabCase(name)),
    )
    .map((name) => [command.name(), kebabCase(name), firstArgument(name), QUERIES[name] ?? "climate"] as const),
);

describe("commands that take a search", () => {
  it("are those that have a flag for the query", () => {
    const names = (found: readonly Command[]) => found.map((each) => each.name());
    expect(names(searching)).toEqual(["save", "count"]);
    expect(names(commands().filter(({ options }) => options.some(({ long }) => long === "--query")))).toEqual(
      names(searching),
    );
    expect(cases.length).toBe(Object.keys(operations).length + 4);
  });

  it.each(cases)("%s %s takes --%s by position, too", async (command, operation, flag, value) => {
    const rest = NEEDS[command] ?? [];
    const byPosition = await callCommand(root, [command, operation, value, ...rest]);
    expect(byPosition).toMatchObject({ status: 0, stdout: expect.stringMatching(/./) });
    expect(await callCommand(root, [command, operation, `--${flag}`, value, ...rest])).toEqual(byPosition);
    const twice = await callCommand(root, [command, operation, "5", `--${flag}`, value, ...rest]);
    expect(twice).toEqual(failedWith(/--\w+: invalid \w+: "5". It was given twice/));
  });

  it.each(cases)("%s %s accepts every parameter as a flag", async (command, operation, first, value) => {
    const { options = [] } = searching.find((each) => each.name() === command) as Command;
    const { parameters } = operations[camelCase(operation) as OperationName];
    const names = options.map((option) => option.attributeName()).filter((name) => name in parameters);
    const examples: Readonly<Record<string, string>> = { ...EXAMPLES, [first]: value };
    for (const name of names.filter((each) => each !== "cursor" && each !== first)) {
      const args = [command, operation, value, `--${name}`, examples[name] as string, ...(NEEDS[command] ?? [])];
      expect(await callCommand(root, args), name).toMatchObject({ status: 0 });
    }
  });

  it.each([
    ["save", "mentions", "climate", "-o", "rows.csv", "--first-page"],
    ["save", "mentions", "climate", "-o", "more.csv", "--max-items", "3"],
    ["save", "mentions", "climate", "-o", "-", "-f", "csv", "--first-page"],
    ["save", "mentions", "climate", "-o", "-", "--max-items", "3"],
    ["save", "person", "6153", "-o", "-", "-f", "csv"],
  ])("%s %s %s %s %s takes --columns", async (...args) => {
    const columns = args[1] === "person" ? ["lastName", "id"] : ["person", "length"];
    const { status, stdout } = await callCommand(root, [...args, "--columns", ...columns]);
    expect(status).toBe(0);
    const file = args[4] as string;
    const isFile = file !== "-";
    const [first = ""] = (isFile ? readFileSync(join(root, file), "utf8") : stdout).split("\n");
    if (isFile || args.includes("csv")) expect(first.trim()).toBe(columns.join());
    else expect(Object.keys(JSON.parse(first))).toEqual(columns);
    const wrong = await callCommand(root, [...args, "--columns", "persn"]);
    expect(wrong).toEqual(failedWith(/persn/));
  });
});
