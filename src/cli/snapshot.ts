import { Command } from "commander";
import type { SnapshotInfo } from "../responses/snapshots.js";
import { pluralize } from "../util/counts.js";
import { escaped } from "../util/quoted.js";
import { type Output, printing, printLines } from "./print.js";

/** `archive-frames snapshot info | verify`: describes and checks snapshots. */
export function snapshotCommand(): Command {
  const command = new Command("snapshot").description("inspect or verify snapshots");
  command
    .command("info")
    .description("show source, dates and searches of a snapshot")
    .argument("<dir>", "directory of the snapshot")
    .option("--json", "as JSON")
    .action(printing(info));
  command
    .command("verify")
    .description("compare every file with its checksum; exit with 1 if something was changed")
    .argument("<dir>", "directory of the snapshot")
    .action(verify);
  return command;
}

async function info(dir: string): Promise<Output> {
  const { snapshotInfo } = await import("../responses/snapshots.js");
  const found = snapshotInfo(dir);
  return { json: found, lines: infoLines(found) };
}

async function verify(dir: string): Promise<void> {
  const { verifySnapshot } = await import("../responses/snapshots.js");
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

const LOOKUP = /^\/(people|programs)\/(?!search\b)/;

function infoLines({ source, baseUrl, searches, ...info }: SnapshotInfo): string[] {
  const of = escaped(source === baseUrl ? source : `${escaped(source, 200)} (${baseUrl})`, 400);
  const replaced = info.replaced === 0 ? "" : `, ${info.replaced} more replaced by newer ones`;
  const numbered = (count: number, what: string) => `${String(count).padStart(5)} ${what}`;
  // There are many lookups, so they are only counted.
  const lookups = ["people", "programs"].flatMap((kind) => {
    const { length } = searches.filter(({ search }) => LOOKUP.exec(search)?.[1] === kind);
    return length === 0 ? [] : [numbered(length, `lookups of ${kind}`)];
  });
  return [
    `${info.dir}: ${of}`,
    `${pluralize(info.responses, "response")}${replaced}, ${formatTime(info.firstResponseAt)} to ${formatTime(info.lastResponseAt)}`,
    `${formatBytes(info.bytes)} of bodies, ${formatBytes(info.storedBytes)} on disk`,
    "",
    ...lookups,
    ...searches
      .filter(({ search }) => !LOOKUP.test(search))
      .map(({ search, pages }) => numbered(pages, `${pages === 1 ? "page " : "pages"}  ${escaped(search, 500)}`)),
  ];
}

function formatTime(text: string | null): string {
  return text === null ? "never" : `${text.slice(0, 16).replace("T", " ")} UTC`;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
