import { clip } from "../../util/quoted.js";
import { printable } from "../display/displayText.js";
import { pluralize } from "../display/grid.js";
import type { ChartRow } from "./chartData.js";

const MAX_ROWS = 40;
const MAX_WIDTH = 40;

/**
 * The data of a chart as plain text, for viewers that do not show its picture: untrusted notebooks and consoles.
 *
 * @param columns what to show of each row; a column without any text is left out
 * @example
 * chartTable([{ begin: "2024-01-01", mentions: 5 }], ["begin", "mentions"]);
 * //=> "begin       mentions\n2024-01-01         5"
 */
export function chartTable(values: readonly ChartRow[], columns: readonly string[]): string {
  if (values.length === 0) return "";
  const rows = values.slice(0, MAX_ROWS);
  const table = columns.map((name) => column(name, rows)).filter((lines) => lines.some((line) => line !== ""));
  const lines = ["", ...rows].map((_, at) =>
    table
      .map((texts) => texts[at])
      .join("  ")
      .trimEnd(),
  );
  const more = values.length - rows.length;
  return [...lines, ...(more > 0 ? [`… ${pluralize(more, "more row", "more rows")}`] : [])].join("\n");
}

/** The aligned lines of a column, its name first; empty if it has no values. */
function column(name: string, rows: readonly ChartRow[]): string[] {
  const values = rows.map((row) => row[name]);
  const texts = values.map((value) => printable(clip(textOf(value), MAX_WIDTH)));
  if (texts.every((text) => text === "")) return [""];
  const numeric = values.every((value) => typeof value === "number" || value === null);
  const all = [printable(clip(name, MAX_WIDTH)), ...texts];
  const width = Math.max(...all.map((text) => text.length));
  return all.map((text) => (numeric ? text.padStart(width) : text.padEnd(width)));
}

/** Four significant digits are more than a picture shows. */
function textOf(value: ChartRow[string]): string {
  return typeof value === "number" && !Number.isInteger(value)
    ? String(Number(value.toPrecision(4)))
    : String(value ?? "");
}
