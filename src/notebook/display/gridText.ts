import { clip, clipStart } from "../../util/quoted.js";
import { alignedLines } from "../../util/tableLines.js";
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

/** Ids, links and pictures, which are of little use to a reader. */
const REFERENCE = /(?:id|link|path)$/i;

/** The columns that fit: ids and links come last. */
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
