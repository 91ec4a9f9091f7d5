import { Command } from "commander";
import { pluralize } from "../notebook/display/grid.js";
import type { SearchDiff } from "../responses/diffSnapshots.js";
import type { SnapshotInfo } from "../responses/snapshotInfo.js";
import type { Row } from "../service/operations/rows.js";
import { escaped, quotedList } from "../util/quoted.js";
import { printJson, printLines } from "./print.js";

/** `archive-frames snapshot info | verify | diff`: describes, checks and compares snapshots. */
export function snapshotCommand(): Command {
  const command = new Command("snapshot").description("inspect, verify or compare snapshots");
  command
    .command("info")
    .description("show source, dates and searches of a snapshot")
    .argument("<dir>", "directory of the snapshot")
    .option("--json", "as JSON")
    .action(async (dir: string, { json }: { json?: boolean }) => {
      const { snapshotInfo } = await import("../responses/snapshotInfo.js");
      const info = snapshotInfo(dir);
      if (json) printJson(info);
      else printLines(infoLines(info));
    });
  command
    .command("verify")
    .description("compare every file with its checksum; exit with 1 if something was changed")
    .argument("<dir>", "directory of the snapshot")
    .action(verify);
  command
    .command("diff")
    .description("show which rows of each search were added, removed or changed")
    .argument("<before>", "directory of the older snapshot")
    .argument("<after>", "directory of the newer snapshot")
    .option("--rows", "list the rows")
    .option("--json", "as JSON, with the rows")
    .action(async (before: string, after: string, { json, rows }: { json?: boolean; rows?: boolean }) => {
      const { diffSnapshots } = await import("../responses/diffSnapshots.js");
      const diffs = await diffSnapshots(before, after);
      if (json) printJson(diffs);
      else printLines(diffs.flatMap((diff) => diffLines(diff, rows === true)));
    });
  return command;
}

async function verify(dir: string): Promise<void> {
  const { verifySnapshot } = await import("../responses/verifySnapshot.js");
  const { ok, responses, bodies, problems, torn } = await verifySnapshot(dir);
  const note = (mark: string, text: string) => `${mark.padEnd(ok ? 7 : 9)}${text}`;
  printLines([
    ...problems.map(({ message }) => note("PROBLEM", message)),
    ...torn.map((file) =>
      note("-", `${file} ends with an incomplete line: its writer was killed. No response is missing.`),
    ),
    ok
      ? note("ok", `${pluralize(responses, "response")} in ${pluralize(bodies, "body", "bodies")}`)
      : pluralize(problems.length, "problem"),
  ]);
  if (!ok) process.exitCode = 1;
}

function infoLines(info: SnapshotInfo): string[] {
  const { source, baseUrl, responses, replaced, bytes, storedBytes, searches } = info;
  const of = escaped(source === baseUrl ? source : `${escaped(source, 200)} (${baseUrl})`, 400);
  return [
    `${info.dir}: ${of}`,
    `${pluralize(responses, "response")}${replaced === 0 ? "" : `, ${replaced} more replaced by newer ones`}, ${formatTime(info.firstResponseAt)} to ${formatTime(info.lastResponseAt)}`,
    `${formatBytes(bytes)} of bodies, ${formatBytes(storedBytes)} on disk`,
    "",
    ...lookups(searches),
    ...searches
      .filter(isSearch)
      .map(
        ({ search, pages }) =>
          `${String(pages).padStart(5)} ${pages === 1 ? "page " : "pages"}  ${escaped(search, 500)}`,
      ),
  ];
}

type Searched = SnapshotInfo["searches"][number];

function isSearch({ search }: Searched): boolean {
  return !LOOKUP.test(search);
}

const LOOKUP = /^\/(people|programs)\/(?!search\b)/;

/** Lookups are many, so they are only counted. */
function lookups(searches: readonly Searched[]): string[] {
  return ["people", "programs"].flatMap((kind) => {
    const { length } = searches.filter(({ search }) => LOOKUP.exec(search)?.[1] === kind);
    return length === 0 ? [] : [`${String(length).padStart(5)} lookups of ${kind}`];
  });
}

function diffLines({ search, before, after, added, removed, changed }: SearchDiff, rows: boolean): string[] {
  const count = (rows: number | null) => (rows === null ? "absent" : pluralize(rows, "row"));
  const same = added.length + removed.length + changed.length === 0;
  const changes = same ? "same" : `${added.length} added, ${removed.length} removed, ${changed.length} changed`;
  const lines = [`${escaped(search, 500)}  ${count(before)} → ${count(after)}  ${changes}`];
  if (!rows) return lines;
  return [
    ...lines,
    ...removed.map((row) => `  - ${formatRow(row)}`),
    ...added.map((row) => `  + ${formatRow(row)}`),
    ...changed.map(({ id, members }) => `  ~ ${escaped(id, 200)}: ${quotedList(members)}`),
  ];
}

function formatRow(row: Row): string {
  return escaped(JSON.stringify(row), 160);
}

function formatTime(text: string | null): string {
  return text === null ? "never" : `${text.slice(0, 16).replace("T", " ")} UTC`;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
