import { clip, clipStart } from "../../util/quoted.js";
import { printable } from "./displayText.js";
import { firstAndLast, type Grid, type GridColumn } from "./grid.js";
import { insertAt } from "./gridHtml.js";

/** Size limits of a text table. */
interface TextBounds {
  readonly columns: number;
  readonly width: number;
}

/** A grid as plain text, for consoles and for viewers without HTML. */
export function gridText(grid: Grid, note: string | undefined, { columns: maxColumns, width }: TextBounds): string {
  const across = textColumns(grid, maxColumns);
  const shown = across.columns.map(({ name, dtype, numeric, cells, context }) => {
    const shorten = context === "left" ? clipStart : clip;
    const texts = Array.from({ length: grid.rows }, (_, row) => printable(shorten(cells[row]?.text ?? "null", width)));
    return { lines: [printable(clip(name, width)), printable(dtype), ...insertAt(texts, grid.rowGap, "…")], numeric };
  });
  const gap = across.gap ?? grid.columnGap;
  const count = 2 + grid.rows + (grid.rowGap === undefined ? 0 : 1);
  const table = insertAt(shown, gap, { lines: new Array<string>(count).fill("…"), numeric: false });
  return [grid.shape, ...alignedLines(table), ...(note === undefined ? [] : [printable(note)])].join("\n");
}

/** Ids, public ids, links and pictures: of little use to a reader. */
const REFERENCE = /(?:id|link|path)$/i;

/** The columns that fit, those for readers before ids and links. */
function textColumns(
  { columns, columnGap }: Grid,
  max: number,
): { columns: readonly GridColumn[]; gap: number | undefined } {
  if (columns.length <= max || columnGap !== undefined) {
    const { positions, gap } = firstAndLast(columns.length, max);
    return { columns: positions.map((at) => columns[at] as GridColumn), gap };
  }
  const isReference = ({ name }: GridColumn) => REFERENCE.test(name);
  const sorted = [...columns.filter((column) => !isReference(column)), ...columns.filter(isReference)];
  return { columns: sorted.slice(0, max), gap: max };
}

/** A column of a text table; numbers are aligned to the right. */
interface TextColumn {
  readonly lines: readonly string[];
  readonly numeric: boolean;
}

/** Columns side by side, as the lines of a text. */
export function alignedLines(columns: readonly TextColumn[]): string[] {
  const aligned = columns.map(({ lines, numeric }) => {
    const width = Math.max(...lines.map(cellWidth));
    return lines.map((line) => {
      const space = " ".repeat(width - cellWidth(line));
      return numeric ? space + line : line + space;
    });
  });
  return (aligned[0] ?? []).map((_, at) =>
    aligned
      .map((lines) => lines[at])
      .join("  ")
      .trimEnd(),
  );
}

// Characters two columns wide in a monospace font: East Asian ones and emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

function cellWidth(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}
