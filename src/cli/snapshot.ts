import { Command } from "commander";
import type { SnapshotCheck } from "../responses/snapshots.js";
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
  const { verifySnapshot } = await import("../responses/snapshots.js");
  const check = await verifySnapshot(dir);
  if (!check.ok) process.exitCode = 1;
  return { json: { dir, ...check }, lines: [...summaryLines(dir, check), "", ...checkLines(check)] };
}

function checkLines({ ok, responses, bodies, problems }: SnapshotCheck): string[] {
  if (ok) return [`ok     ${pluralize(responses, "response")} in ${pluralize(bodies, "body", "bodies")}`];
  return [...problems.map(({ message }) => `PROBLEM  ${message}`), pluralize(problems.length, "problem")];
}

function summaryLines(dir: string, { source, searches, responses, firstResponseAt, lastResponseAt }: SnapshotCheck) {
  const isLookup = ({ search }: { search: string }) => /^\/(?:people|programs)\/(?!search\b)/.test(search);
  // There may be thousands of lookups.
  const lookups = searches.filter(isLookup).length;
  return [
    `${dir}: ${source ?? "no readable log"}`,
    `${pluralize(responses, "response")}, ${formatTime(firstResponseAt)} to ${formatTime(lastResponseAt)}`,
    "",
    ...(lookups === 0 ? [] : [`${String(lookups).padStart(5)} lookups of people and programs`]),
    ...searches
      .filter((search) => !isLookup(search))
      .map(
        ({ search, pages }) =>
          `${String(pages).padStart(5)} ${pages === 1 ? "page " : "pages"}  ${escaped(search, 500)}`,
      ),
  ];
}

function formatTime(text: string | null): string {
  return text === null ? "never" : `${text.slice(0, 16).replace("T", " ")} UTC`;
}
