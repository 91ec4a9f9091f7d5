import { type DisplaySettings, isWithinDefaults } from "./displayOptions.js";
import type { Grid } from "./grid.js";
import { gridHtml } from "./gridHtml.js";
import { gridText } from "./gridText.js";
import type { MimeBundle } from "./mimeBundle.js";

/** Bytes of HTML that a frame has at most; the second where someone asked for more than the defaults. */
const MAX_ROWS = 100_000;
const MAX_ON_DEMAND = 1_000_000;
/** Characters of a title; the next one where all of them would be too much. */
const TITLES = [2000, 500, 0];
/** A table of text is narrower, as its lines wrap. */
const TEXT = { columns: 8, width: 32 };

/**
 * A frame as a table in HTML and in text.
 *
 * @param gridOf what is shown of the frame with these settings
 * @param note where the frame is from
 */
export function frameBundle(
  gridOf: (settings: DisplaySettings) => Grid,
  note: string | undefined,
  settings: DisplaySettings,
): MimeBundle {
  const modest = isWithinDefaults(settings);
  const { columns, width } = settings;
  const bounds = modest ? { columns: TEXT.columns, width: Math.min(width, TEXT.width) } : { columns, width };
  const most = modest ? MAX_ROWS : MAX_ON_DEMAND;
  const grid = gridOf(settings);
  const plain = gridText(grid, note, bounds);
  return {
    "text/plain": plain,
    "text/html": htmlWithin(grid, note, width, most) ?? shrunkHtml(gridOf, note, grid, width, most),
  };
}

/** The HTML with as much in its titles as there is room for; undefined where there is none even without. */
function htmlWithin(grid: Grid, note: string | undefined, width: number, most: number): string | undefined {
  for (const title of TITLES) {
    if (minimumLength(grid, width, title) > most) continue;
    const html = gridHtml(grid, note, { width, title });
    if (Buffer.byteLength(html) <= most) return html;
  }
  return undefined;
}

/** How long the texts alone will be at least: what is far too long is not even written. */
function minimumLength({ columns }: Grid, width: number, title: number): number {
  let length = 0;
  const add = (text: string) => {
    length += Math.min(text.length, width) + (text.length > width ? Math.min(text.length, title) : 0);
  };
  for (const { name, cells } of columns) for (const text of [name, ...cells.map((cell) => cell?.text ?? "")]) add(text);
  return length;
}

/** The HTML of less and less of the frame, until it is small enough. */
function shrunkHtml(
  gridOf: (settings: DisplaySettings) => Grid,
  note: string | undefined,
  { rows, columns }: Grid,
  width: number,
  most: number,
): string {
  const [fewer, narrower] = [Math.ceil(rows / 2), Math.ceil(width / 2)];
  const grid = gridOf({ rows: fewer, columns: Math.ceil(columns.length / 2), width: narrower });
  return htmlWithin(grid, note, narrower, most) ?? shrunkHtml(gridOf, note, grid, narrower, most);
}
