import type { CorpusCheck, CorpusPlan, CorpusSummary } from "../corpus/index.js";
import { MAX_SEARCH, tablesText } from "../corpus/tablesText.js";
import { formatCount, pluralize } from "../util/counts.js";
import { clip } from "../util/quoted.js";

/** What a build will fetch, in one line, and the searches that failed. */
export function planLines({ text, failed }: CorpusPlan): string[] {
  return [text, ...failedLines(failed)];
}

export function summaryLines(summary: CorpusSummary, next: string): string[] {
  const { verdict, reason, requests, windows } = summary;
  const { added, changed, vanished, returned } = summary;
  const changes = Object.entries({ added, changed, vanished, returned }).filter(([, count]) => count > 0);
  const state = `${verdict}${reason === null ? "" : ` by ${reason}`}, ${windows.done} of ${pluralize(windows.total, "window")}`;
  const changesText = changes.map(([name, count]) => `${formatCount(count)} ${name}`).join(", ") || "nothing new";
  return [
    `${state}, ${pluralize(requests, "request")}: ${changesText}`,
    tablesText(summary),
    ...failedLines(summary.failed),
    ...(verdict === "complete" ? [] : [`To continue, type: ${next}`]),
  ];
}

function failedLines(failed: CorpusSummary["failed"]): string[] {
  return failed.map(({ query, code, message }) => `FAILED  ${clip(query, MAX_SEARCH)} (${code}): ${message}`);
}

export function checkLines({ ok, files, mentions, hits, problems }: CorpusCheck): string[] {
  const checked = `${pluralize(files, "file")}, ${pluralize(mentions, "mention")}, ${pluralize(hits, "hit")}`;
  if (ok) return [`ok  ${checked}`];
  return [
    ...problems.map((problem) => `PROBLEM  ${problem}`),
    `${pluralize(problems.length, "problem")} in ${checked}`,
  ];
}
