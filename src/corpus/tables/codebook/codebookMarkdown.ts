import type { DescribedColumn, DescribedTable } from "./codebook.js";
import { labelsText } from "./codebook.js";

const TABLE_NOTES: Readonly<Record<DescribedTable["name"], string>> = {
  mentions: "Every mention once.",
  hits: "Which search found which mention.",
  people: "The speakers, looked up by id.",
  programs: "The programs, looked up by id.",
  searches: "What was asked, and how it ended.",
};

/** The codebook of a corpus in Markdown: a section per table, a row per column. */
export function codebookMarkdown(tables: readonly DescribedTable[]): string {
  return tables.map(tableSection).join("\n\n");
}

function tableSection({ name, rows, columns }: DescribedTable): string {
  return [
    `### ${name}`,
    "",
    `${TABLE_NOTES[name]} ${rows.toLocaleString("en-US")} ${rows === 1 ? "row" : "rows"}.`,
    "",
    "| column | meaning | unit | type | missing | examples |",
    "|---|---|---|---|---|---|",
    ...columns.map(columnLine),
  ].join("\n");
}

function columnLine({ name, meaning, unit, dtype, nullShare, examples, labels }: DescribedColumn): string {
  const note = labels.size === 0 ? meaning : `${meaning}: ${markdownText(labelsText(labels))}`;
  const missing = nullShare === null ? "" : percentText(nullShare);
  const cells = [markdownText(name), note, unit ?? "", dtype, missing, markdownText(examples.join("; "))];
  return `| ${cells.join(" | ")} |`;
}

/** Not rounded to 0 or 100 %: these say that no row, or every row, lacks the value. */
function percentText(share: number): string {
  if (share === 0 || share === 1) return `${100 * share} %`;
  const percent = Math.min(99.9, Math.max(0.1, 100 * share));
  return `${percent.toFixed(1)} %`;
}

/** Text of the service or of users as Markdown that shows it literally, on one line, for a cell of a table. */
export function markdownText(text: string): string {
  return text
    .replace(CONTROLS, " ")
    .replace(/[\\`*_[\]|~$]/g, "\\$&")
    .replace(/[&<>]/g, (character) => ENTITIES[character] as string);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
