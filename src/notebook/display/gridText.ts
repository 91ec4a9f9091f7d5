import type { PolarsFrame } from "../../frames/polars.js";
import { alignedLines, clip, clipStart } from "../../util/text.js";
import type { DisplaySettings } from "./displayOptions.js";
import { printable } from "./displayText.js";
import { type Grid, gridOf } from "./frameGrid.js";

/** Characters of a line where the terminal does not say how many it has, and of a cell: long lines wrap. */
const LINE = 100;
const CELL = 32;

/**
 * A frame as plain text, for consoles and for viewers without HTML. Columns that do not fit into a line are left out, unless they were
 * chosen by name.
 */
export function gridText(frame: PolarsFrame, settings: DisplaySettings, isSeries: boolean, note?: string): string {
  const { rows, columns, width } = settings;
  const max = process.stdout.columns ?? LINE;
  const linesOf = (count: DisplaySettings["columns"]): readonly string[] => {
    const grid = gridOf(frame, { rows, columns: count, isSeries });
    const lines = tableLines(grid, typeof columns === "number" ? Math.min(width, CELL) : width);
    const exceedsLine = lines.some((line) => line.length > max);
    return exceedsLine && typeof count === "number" && count > 1 ? linesOf(count - 1) : [grid.shape, ...lines];
  };
  const most = typeof columns === "number" ? Math.min(columns, Math.ceil(max / 3)) : columns;
  return [...linesOf(most), ...(note === undefined ? [] : [printable(note)])].join("\n");
}

function tableLines({ columns, rows, rowGap, columnGap }: Grid, width: number): readonly string[] {
  const shown = columns.map(({ name, dtype, numeric, cells, context }) => {
    const shorten = context === "left" ? clipStart : clip;
    const texts = Array.from({ length: rows }, (_, row) => printable(shorten(cells[row]?.text ?? "null", width)));
    return { lines: [printable(clip(name, width)), printable(dtype), ...insertAt(texts, rowGap, "…")], numeric };
  });
  const gap = { lines: new Array<string>(2 + rows + (rowGap === undefined ? 0 : 1)).fill("…"), numeric: false };
  return alignedLines(insertAt(shown, columnGap, gap));
}

/** The list with an item inserted at `index`; unchanged if `index` is undefined. */
export function insertAt<T>(items: readonly T[], index: number | undefined, item: T): T[] {
  return index === undefined ? [...items] : [...items.slice(0, index), item, ...items.slice(index)];
}
