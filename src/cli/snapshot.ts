import { isAbsolute, relative, resolve } from "node:path";
import { Command } from "commander";
import { pluralize } from "../notebook/display/grid.js";
import type { Row } from "../service/operations/rows.js";
import { diffSnapshots, type SearchDiff } from "../snapshots/diffSnapshots.js";
import { packSnapshot } from "../snapshots/packSnapshot.js";
import { type SnapshotInfo, snapshotInfo } from "../snapshots/snapshotInfo.js";
import { verifySnapshot } from "../snapshots/verifySnapshot.js";
import { escaped, quotedList } from "../util/quoted.js";
import { printJson, printLines } from "./print.js";

/**
 * `archive-frames snapshot info | verify | diff | pack`: what is in a snapshot, is it intact, what has changed between two, and
 * one file to send.
 *
 * @example
 * program.addCommand(snapshotCommand());
 */
export function snapshotCommand(): Command {
  const command = new Command("snapshot").description("look at the answers that a snapshot keeps");
  command
    .command("info")
    .description("say what is in it: of what, from when, which searches")
    .argument("<dir>", "folder of the snapshot")
    .option("--json", "as JSON")
    .action((dir: string, { json }: { json?: boolean }) => {
      const info = snapshotInfo(dir);
      if (json) printJson(info);
      else printLines(infoLines(info));
    });
  command
    .command("verify")
    .description("read every byte and compare it with the check sums; exit code 1 where something was changed")
    .argument("<dir>", "folder of the snapshot")
    .action(verify);
  command
    .command("diff")
    .description("say which rows of which search were added, removed or changed")
    .argument("<before>", "folder of the older snapshot")
    .argument("<after>", "folder of the newer one")
    .option("--rows", "list the rows")
    .option("--json", "as JSON, with the rows")
    .action(async (before: string, after: string, { json, rows }: { json?: boolean; rows?: boolean }) => {
      const diffs = await diffSnapshots(before, after);
      if (json) printJson(diffs);
      else printLines(diffs.flatMap((diff) => diffLines(diff, rows === true)));
    });
  command
    .command("pack")
    .description("verify it and put it into one zip file")
    .argument("<dir>", "folder of the snapshot")
    .option("-o, --output <path>", "the file (default: <dir>.zip)")
    .action(async (dir: string, { output }: { output?: string }) => {
      printLines([await packSnapshot(dir, output ?? zipOf(dir))]);
    });
  return command;
}

/** Beside the folder, and called after it; `.` has a name as well. */
function zipOf(dir: string): string {
  const file = `${resolve(dir)}.zip`;
  return isAbsolute(dir) ? file : relative("", file);
}

async function verify(dir: string): Promise<void> {
  const { ok, answers, bodies, faults, torn, unused } = await verifySnapshot(dir);
  printLines([
    ...faults.map((fault) => `FAULT  ${fault.message}`),
    ...torn.map(
      (file) => `-      ${file} ends in half a line: whoever wrote it was stopped. Nothing that was used is missing.`,
    ),
    ...unused.map((file) => `-      ${file} is named by no index. It may be deleted.`),
    ok
      ? `ok     ${pluralize(answers, "answer")} in ${pluralize(bodies, "body", "bodies")}`
      : `${pluralize(faults.length, "fault")}`,
  ]);
  if (!ok) process.exitCode = 1;
}

function infoLines(info: SnapshotInfo): string[] {
  const { source, baseUrl, answers, replaced, bytes, storedBytes, retrievals, searches } = info;
  const of = escaped(source === baseUrl ? source : `${escaped(source, 200)} (${baseUrl})`, 400);
  return [
    `${info.dir}: ${of}`,
    `${pluralize(answers, "answer")}${replaced === 0 ? "" : `, ${replaced} more replaced by newer ones`}, ${moment(info.firstResponseAt)} to ${moment(info.lastResponseAt)}`,
    `${size(bytes)} of bodies in ${size(storedBytes)}`,
    "",
    ...retrievals.map(
      (one) =>
        `${moment(one.begunAt)}  ${pluralize(one.answers, "answer")}  archive-frames ${escaped(one.version, 40)}`,
    ),
    "",
    ...lookUps(searches),
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
  return !LOOK_UP.test(search);
}

const LOOK_UP = /^\/(people|programs)\/(?!search\b)/;

/** Look-ups are many, and say little one by one. */
function lookUps(searches: readonly Searched[]): string[] {
  return ["people", "programs"].flatMap((kind) => {
    const { length } = searches.filter(({ search }) => LOOK_UP.exec(search)?.[1] === kind);
    return length === 0 ? [] : [`${String(length).padStart(5)} look-ups of ${kind}`];
  });
}

function diffLines({ search, before, after, added, removed, changed }: SearchDiff, rows: boolean): string[] {
  const count = (rows: number | null) => (rows === null ? "not there" : pluralize(rows, "row"));
  const same = added.length + removed.length + changed.length === 0;
  const what = same ? "same" : `${added.length} added, ${removed.length} removed, ${changed.length} changed`;
  const lines = [`${escaped(search, 500)}  ${count(before)} → ${count(after)}  ${what}`];
  if (!rows) return lines;
  return [
    ...lines,
    ...removed.map((row) => `  - ${shown(row)}`),
    ...added.map((row) => `  + ${shown(row)}`),
    ...changed.map(({ id, members }) => `  ~ ${escaped(id, 200)}: ${quotedList(members)}`),
  ];
}

/** A row in one line. */
function shown(row: Row): string {
  return escaped(JSON.stringify(row), 160);
}

function moment(text: string | null): string {
  return text === null ? "never" : `${text.slice(0, 16).replace("T", " ")} UTC`;
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
