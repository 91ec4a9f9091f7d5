import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settingsOf, withoutSettings } from "../archiveSettings.js";
import { hasPython } from "../files/python.js";
import { temporaryFolder } from "../files/temporary.js";
import { sampled } from "../scale.js";
import { startEmbeddedArchive } from "../tools/startGenerated.js";
import { codeBlocks, ROOT, readText } from "./markdown.js";

const root = temporaryFolder();
const sections = readText("src/api/other-tools.md").split(/^## /m);
const bin = join(root, "bin");
/** The archive that each command would start, which takes a second. */
const archive = await startEmbeddedArchive();
afterAll(() => archive.close());
/** DuckDB comes as a package here; its command line does the same with `-c`. */
const DUCKDB = `
import { DuckDBInstance } from "@duckdb/node-api";
const connection = await (await DuckDBInstance.create()).connect();
console.log((await connection.runAndReadAll(process.argv[3])).getRowObjectsJson());
`;

const sectionOf = (title: string) => sections.find((text) => text.startsWith(title)) ?? "";

/** The commands of a section. */
function commandsOf(title: string): string[] {
  return codeBlocks(sectionOf(title), "sh").flatMap(({ code }) => code.trim().split("\n"));
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

async function shell(command: string): Promise<string> {
  const env = {
    ...withoutSettings(),
    ...settingsOf(archive),
    PATH: [bin, "/usr/bin", process.env.PATH].join(delimiter),
  };
  // Behind a socket, bash takes itself for a remote shell, and the user's start-up file would change the path.
  const bash = ["--norc", "-o", "pipefail", "-c", command];
  return (await promisify(execFile)("bash", bash, { cwd: root, env })).stdout;
}

beforeAll(async () => {
  mkdirSync(bin);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "duckdb.mjs"), DUCKDB);
  const script = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  symlinkSync(process.execPath, join(bin, "node"));
  script("npx", `shift; exec node ${ROOT}dist/cli/main.js "$@"`);
  script("duckdb", 'exec node duckdb.mjs "$@"');
  writeFileSync(join(root, "searches.csv"), "query,mindate,maxdate\nclimate,2024-01-01,2024-02-29\n");
  for (const command of commandsOf("# From")) await shell(command);
});

describe("other tools", () => {
  it.each(sampled(commandsOf("DuckDB")))("DuckDB: %s", async (command) => {
    const found = await shell(command);
    expect(found).toMatch(
      command.includes("year") ? /year: '2024'.*'count_star\(\)': '\d+'/ : /person: '.+', 'count_star\(\)': '\d+'/,
    );
  });

  it.skipIf(!hasPython).each(sampled(commandsOf("pandas")))("pandas: %s", async (command) => {
    expect(await shell(command)).toMatch(command.includes("csv") ? /begintime +datetime64\[ns, UTC\]/ : /^\d+\n$/);
  });

  it("DuckDB and this package: the README of a corpus", async () => {
    const readme = readFileSync(join(root, "study/README.md"), "utf8");
    const [sql, ts] = ["sql", "ts"].map((language) => codeBlocks(readme, language)[0]?.code ?? "");
    writeFileSync(join(root, "read.sql"), sql as string);
    expect(await shell('cd study && node ../duckdb.mjs -c "$(cat ../read.sql)"')).toMatch(/'count_star\(\)': '\d+'/);
    const script = `${ts?.replace("archive-frames/corpus", `${ROOT}dist/corpus/index.js`)}console.log(mentions.height);`;
    writeFileSync(join(root, "read.mjs"), script);
    expect(await shell("cd study && node ../read.mjs")).toMatch(/^[1-9]\d*\n$/);
  });

  it.skipIf(!isInstalled("Rscript")).each(commandsOf("R\n"))("R: %s", async (command) => {
    expect(await shell(command)).toMatch(command.includes("-o -") ? /^\[1\] 200\n$/ : /\w+ \w+ +\w+ \w+/);
  });
});
