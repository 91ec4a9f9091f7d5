import { clip, clipStart } from "../../util/quoted.js";
import type { Note } from "./caption.js";
import type { DisplaySettings } from "./displayOptions.js";
import { escapeHtml, printable, printableLines } from "./displayText.js";
import { FRAME_CSS, ROOT_CLASS } from "./frameCss.js";
import type { Grid, GridColumn } from "./frameGrid.js";
import { insertAt } from "./gridText.js";

/** How texts in a grid are shown; `title` is the number of characters of a hover title with the full text, 0 for no titles. */
export type TextLimits = Pick<DisplaySettings, "width" | "wrap" | "links"> & { readonly title: number };

const GAP = "…";

/** Links that may be clicked. */
const LINK = /^https?:\/\/[^\s\p{Cc}\p{Cf}\p{Cs}"'<>\\^`{|}]{1,2000}$/iu;

/** HTML of this package: one `div` with its style sheet. */
function displayHtml(content: string, note: Note | undefined): string {
  return `<div class="${ROOT_CLASS}"><style>${FRAME_CSS}</style>${content}${note === undefined ? "" : noteHtml(note)}</div>`;
}

/** A grid as HTML. All names and values are escaped; there are no scripts and no external resources. */
export function gridHtml(grid: Grid, note: Note | undefined, limits: TextLimits): string {
  const table = `<div class="af-scroll" tabindex="0"><table>${head(grid, limits)}<tbody>${rowsHtml(grid, limits).join("")}</tbody></table></div>`;
  const shape = `<div class="af-shape"><b>${escapeHtml(grid.shape)}</b></div>`;
  return displayHtml(`${shape}${grid.columns.length === 0 ? "" : table}`, note);
}

/** A picture as HTML. Every viewer shows an `img`, also those that remove the elements of SVG. */
export function pictureHtml(svg: string, description: string, note: Note | undefined): string {
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  return displayHtml(`<img src="${source}" alt="${text(description, 400)}">`, note);
}

/** A table of very many sources shows the first ones. */
const MAX_LINES = 20;
const MAX_LINE = 1000;

function noteHtml({ text: caption, lines }: Note): string {
  const shown = lines.slice(0, MAX_LINES).map((line) => text(line, MAX_LINE));
  return `<div class="af-note"><small title="${shown.join("\n")}">${text(caption, 400)}</small></div>`;
}

function head({ columns, columnGap }: Grid, limits: TextLimits): string {
  const cells = columns.map(({ name, dtype, numeric }) => {
    // Reads well without the style sheet too, which some viewers remove.
    const dtypeHtml = `<br><small class="af-dtype">${text(dtype, 60)}</small>`;
    return `<th${classOf(numeric)}${titleOf(name, undefined, limits)}>${text(name, limits.width)}${dtypeHtml}</th>`;
  });
  return `<thead><tr>${insertAt(cells, columnGap, `<th class="af-gap">${GAP}</th>`).join("")}</tr></thead>`;
}

/** The rows of a grid, with the one that stands for omitted rows. */
export function rowsHtml({ columns, rows, rowGap, columnGap }: Grid, limits: TextLimits): readonly string[] {
  const gapCell = (numeric: boolean) => `<td class="${numeric ? "af-num " : ""}af-gap">${GAP}</td>`;
  const line = (cells: string[]) => `<tr>${insertAt(cells, columnGap, gapCell(false)).join("")}</tr>`;
  const lines = Array.from({ length: rows }, (_, at) => line(columns.map((column) => cellHtml(column, at, limits))));
  return insertAt(lines, rowGap, line(columns.map(({ numeric }) => gapCell(numeric))));
}

function cellHtml({ cells, numeric, context }: GridColumn, at: number, limits: TextLimits): string {
  const cell = cells[at] ?? null;
  if (cell === null) return `<td${classOf(numeric)}><i class="af-null">null</i></td>`;
  const shown = text(cell.text, limits.width, context === "left" ? clipStart : clip);
  if (limits.links && LINK.test(cell.text)) {
    const href = escapeHtml(cell.text);
    return `<td><a href="${href}" target="_blank" rel="noopener noreferrer">${shown}</a></td>`;
  }
  const classes = limits.wrap && !numeric && context === undefined ? ' class="af-wrap"' : classOf(numeric);
  const content = context === "keyword" ? `<strong>${shown}</strong>` : shown;
  return `<td${classes}${titleOf(cell.text, cell.full, limits)}>${content}</td>`;
}

const classOf = (numeric: boolean) => (numeric ? ' class="af-num"' : "");

/** A title attribute with the full text if the visible one is clipped. */
function titleOf(whole: string, full: string | undefined, { width, title }: TextLimits): string {
  const isAll = full === undefined && whole.length <= width;
  return isAll || title === 0 ? "" : ` title="${escapeHtml(printableLines(clip(full ?? whole, title)))}"`;
}

function text(whole: string, length: number, shorten = clip): string {
  return escapeHtml(printable(shorten(whole, length)));
}
