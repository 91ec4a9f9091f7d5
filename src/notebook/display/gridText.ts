import { clip } from "../../util/quoted.js";
import { printable } from "./displayText.js";
import { firstAndLast, type Grid } from "./grid.js";
import { insertAt } from "./gridHtml.js";

/** How much a table of text shows. */
export interface TextBounds {
  readonly columns: number;
  readonly width: number;
}

/** A grid as plain text: for consoles, for the text form of a notebook, for whoever cannot show HTML. */
export function gridText(grid: Grid, note: string | undefined, { columns: most, width }: TextBounds): string {
  const across = firstAndLast(grid.columns.length, most);
  const shown = across.positions.map((at) => {
    const { name, dtype, numeric, cells } = grid.columns[at] as Grid["columns"][number];
    const texts = Array.from({ length: grid.rows }, (_, row) => printable(clip(cells[row]?.text ?? "null", width)));
    return { lines: [printable(clip(name, width)), printable(dtype), ...insertAt(texts, grid.rowGap, "…")], numeric };
  });
  const gap = across.gap ?? grid.columnGap;
  const count = 2 + grid.rows + (grid.rowGap === undefined ? 0 : 1);
  const table = insertAt(shown, gap, { lines: new Array<string>(count).fill("…"), numeric: false }).map(aligned);
  const lines = table.length === 0 ? [] : Array.from({ length: count }, (_, at) => table.map((column) => column[at]));
  const rows = lines.map((line) => line.join("  ").trimEnd());
  return [grid.shape, ...rows, ...(note === undefined ? [] : [printable(note)])].join("\n");
}

function aligned({ lines, numeric }: { readonly lines: readonly string[]; readonly numeric: boolean }): string[] {
  const width = Math.max(...lines.map(cellWidth));
  return lines.map((line) => {
    const space = " ".repeat(width - cellWidth(line));
    return numeric ? space + line : line + space;
  });
}

// Characters that take two places in a fixed-width font: those of East Asia, and emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

function cellWidth(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}
