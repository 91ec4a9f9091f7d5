import { Command } from "commander";
import type { SnapshotInfo } from "../responses/snapshotInfo.js";
import { pluralize } from "../util/counts.js";
import { escaped } from "../util/quoted.js";
import { printJson, printLines } from "./print.js";

/** `archive-frames snapshot info | verify`: describes and checks snapshots. */
export function snapshotCommand(): Command {
  const command = new Command("snapshot").description("inspect or verify snapshots");
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
      .filter(({ search }) => !LOOKUP.test(search))
      .map(
        ({ search, pages }) =>
          `${String(pages).padStart(5)} ${pages === 1 ? "page " : "pages"}  ${escaped(search, 500)}`,
      ),
  ];
}

type Searched = SnapshotInfo["searches"][number];

const LOOKUP = /^\/(people|programs)\/(?!search\b)/;

/** There are many lookups, so they are only counted. */
function lookups(searches: readonly Searched[]): string[] {
  return ["people", "programs"].flatMap((kind) => {
    const { length } = searches.filter(({ search }) => LOOKUP.exec(search)?.[1] === kind);
    return length === 0 ? [] : [`${String(length).padStart(5)} lookups of ${kind}`];
  });
}

function formatTime(text: string | null): string {
  return text === null ? "never" : `${text.slice(0, 16).replace("T", " ")} UTC`;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
