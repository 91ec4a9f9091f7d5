import { type DisplaySettings, isWithinDefaults } from "./displayOptions.js";
import type { Grid } from "./grid.js";
import { gridHtml } from "./gridHtml.js";
import { gridText } from "./gridText.js";
import type { MimeBundle } from "./mimeBundle.js";

/** Maximum bytes of HTML; the larger one if the options ask for more than the defaults. */
const MAX_BYTES = 100_000;
const MAX_BYTES_ON_DEMAND = 1_000_000;
/** Lengths of hover titles, tried in order until the HTML is small enough. */
const TITLE_LENGTHS = [2000, 500, 0];
/** Text tables are narrower, because long lines wrap. */
const TEXT_BOUNDS = { columns: 8, width: 32 };

/**
 * A frame as a table in HTML and in plain text.
 *
 * @param gridOf makes the grid for the given settings
 * @param note a caption, shown below the table
 */
export function frameBundle(
  gridOf: (settings: DisplaySettings) => Grid,
  note: string | undefined,
  settings: DisplaySettings,
): MimeBundle {
  const isDefault = isWithinDefaults(settings);
  const { width } = settings;
  const columns = typeof settings.columns === "number" ? settings.columns : settings.columns.length;
  const bounds = isDefault
    ? { columns: TEXT_BOUNDS.columns, width: Math.min(width, TEXT_BOUNDS.width) }
    : { columns, width };
  const maxBytes = isDefault ? MAX_BYTES : MAX_BYTES_ON_DEMAND;
  const grid = gridOf(settings);
  const plain = gridText(grid, note, bounds);
  return {
    "text/plain": plain,
    "text/html": htmlWithin(grid, note, settings, maxBytes) ?? shrunkHtml(gridOf, note, grid, settings, maxBytes),
  };
}

/** The HTML with the longest titles that fit; undefined if it is too large even without titles. */
function htmlWithin(
  grid: Grid,
  note: string | undefined,
  { width, wrap, links }: DisplaySettings,
  maxBytes: number,
): string | undefined {
  for (const title of TITLE_LENGTHS) {
    if (minimumLength(grid, width, title) > maxBytes) continue;
    const html = gridHtml(grid, note, { width, title, wrap, links });
    if (Buffer.byteLength(html) <= maxBytes) return html;
  }
  return undefined;
}

/** A lower bound of the HTML's length, to skip rendering what is far too large. */
function minimumLength({ columns }: Grid, width: number, title: number): number {
  let length = 0;
  const add = (text: string) => {
    length += Math.min(text.length, width) + (text.length > width ? Math.min(text.length, title) : 0);
  };
  for (const { name, cells } of columns) for (const text of [name, ...cells.map((cell) => cell?.text ?? "")]) add(text);
  return length;
}

/** Shows less and less of the frame until the HTML fits. */
function shrunkHtml(
  gridOf: (settings: DisplaySettings) => Grid,
  note: string | undefined,
  { rows, columns }: Grid,
  settings: DisplaySettings,
  maxBytes: number,
): string {
  const half = Math.ceil(columns.length / 2);
  const smaller: DisplaySettings = {
    ...settings,
    rows: Math.ceil(rows / 2),
    columns: typeof settings.columns === "number" ? half : settings.columns.slice(0, half),
    width: Math.ceil(settings.width / 2),
  };
  const grid = gridOf(smaller);
  return htmlWithin(grid, note, smaller, maxBytes) ?? shrunkHtml(gridOf, note, grid, smaller, maxBytes);
}
