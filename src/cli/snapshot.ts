import { Command } from "commander";
import type { SnapshotCheck, SnapshotInfo } from "../responses/snapshots.js";
import { pluralize } from "../util/counts.js";
import { escaped } from "../util/quoted.js";
import { type Output, printing } from "./print.js";

/** `archive-frames snapshot <dir>`: describes a snapshot and verifies it. */
export function snapshotCommand(): Command {
  return new Command("snapshot")
    .description(
      "show source, dates and searches of a snapshot, and verify its files; exit with 1 if something was changed",
    )
    .argument("<dir>", "directory of the snapshot")
    .option("--json", "as JSON")
    .action(printing(snapshot));
}

async function snapshot(dir: string): Promise<Output> {
  const { snapshotInfo, verifySnapshot } = await import("../responses/snapshots.js");
  const check = await verifySnapshot(dir);
  if (!check.ok) process.exitCode = 1;
  // It needs every line of the index, so a damaged one has no summary.
  const info = check.ok ? snapshotInfo(dir) : undefined;
  const lines = [...(info === undefined ? [] : [...infoLines(info), ""]), ...checkLines(check)];
  return { json: { dir, ...info, ...check }, lines };
}

function checkLines({ ok, responses, bodies, problems, torn }: SnapshotCheck): string[] {
  const note = (mark: string, text: string) => `${mark.padEnd(ok ? 7 : 9)}${text}`;
  return [
    ...problems.map(({ message }) => note("PROBLEM", message)),
    ...torn.map((file) =>
      note("-", `${file} ends with an incomplete line: its writer was killed. No response is missing.`),
    ),
    ok
      ? note("ok", `${pluralize(responses, "response")} in ${pluralize(bodies, "body", "bodies")}`)
      : pluralize(problems.length, "problem"),
  ];
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
