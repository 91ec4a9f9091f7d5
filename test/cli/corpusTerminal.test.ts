import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsOf, withoutSettings } from "../archiveSettings.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { MAIN } from "./command.js";

const root = temporaryFolder();
/** `script` of other systems has other options. */
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;

describe.skipIf(!hasScript)("archive-frames corpus build on a pseudo-terminal", () => {
  it("draws a table while it waits, and erases it; with --json it draws none", async () => {
    writeFileSync(
      join(root, "searches.csv"),
      "query,mindate,maxdate\nalpha,2024-01-01,2024-12-31\nbeta,2024-01-01,2024-12-31\n",
    );
    const [table, json] = await Promise.all([build("table"), build("json", "--json")]);
    const state = /^alpha 2024-01-01 2024-12-31 {2}0\/1 {6}0$/;
    expect(
      table.screens.some(
        (lines) =>
          lines.includes("search                       windows  rows") && lines.some((line) => state.test(line)),
      ),
    ).toBe(true);
    expect(table.screens.at(-1)).toEqual([
      `archive-frames: using ${table.baseUrl}.`,
      "search                       windows  rows  retrieved",
      expect.stringMatching(/^alpha 2024-01-01 2024-12-31 {2}1\/1 {6}30 {4}\d{4}-\d\d-\d\d$/),
      expect.stringMatching(/^beta 2024-01-01 2024-12-31 {3}1\/1 {6}20 {4}\d{4}-\d\d-\d\d$/),
      "",
      expect.stringMatching(/^complete, 2 of 2 windows, /),
      expect.stringMatching(/^40 mentions, 50 hits, /),
      "",
    ]);
    expect(json.output).not.toContain("\x1b");
    expect(JSON.parse(json.output.slice(json.output.indexOf("{")))).toMatchObject({ verdict: "complete", hits: 50 });
  });
});

/** Builds a corpus with a service that refuses the first request for alpha: a wait draws the table at once. */
async function build(dir: string, ...flags: string[]) {
  await using service = await startCorpusService(servedRows(60));
  let refusals = 0;
  service.instead = ({ url }) =>
    url.includes("query=alpha") && refusals++ === 0
      ? { status: 429, headers: { "retry-after": "0" }, body: {} }
      : undefined;
  const line = [process.execPath, MAIN, "corpus", "build", dir, "searches.csv", "--no-lookups", ...flags].join(" ");
  const env = { ...withoutSettings(), ...settingsOf(service) };
  const { stdout } = await runProcess("script", ["-qec", line, "/dev/null"], { cwd: root, env });
  return { baseUrl: service.baseUrl, output: stdout, screens: screensOf(stdout) };
}

/** What a terminal shows after each piece of its output. */
function screensOf(output: string): string[][] {
  let lines = [""];
  let [row, column] = [0, 0];
  return (output.replaceAll("\x1b", "␛").match(/␛\[\d*[A-Z]|\r|\n|[^␛\r\n]+/g) ?? []).map((piece) => {
    const line = lines[row] as string;
    const [, count, code] = /^␛\[(\d*)(.)$/.exec(piece) ?? [];
    if (code === "A") row -= Number(count || 1);
    else if (code === "K") lines[row] = line.slice(0, column);
    else if (code === "J") lines = [...lines.slice(0, row), line.slice(0, column)];
    else if (piece === "\r") column = 0;
    else if (piece === "\n") lines[++row] ??= "";
    else {
      lines[row] = line.slice(0, column).padEnd(column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
    return [...lines];
  });
}
