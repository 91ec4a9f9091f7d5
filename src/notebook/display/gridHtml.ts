import { clip, clipStart } from "../../util/text.js";
import type { Note } from "./caption.js";
import type { DisplaySettings } from "./displayOptions.js";
import { escapeHtml, printable, printableLines } from "./displayText.js";
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

/**
 * The CSS class of all HTML of this package; reports recognize our HTML by it. All selectors repeat the class to outrank the
 * styles of the notebook.
 */
export const ROOT_CLASS = "archive-frames";

const R = `.${ROOT_CLASS}.${ROOT_CLASS}`;

/**
 * The style sheet of displays. Every one includes it, because it may be the only one on its page. Colors come from the notebook's CSS
 * variables (JupyterLab, VS Code) or are inherited; the greys are legible on white and black. prefers-color-scheme would give white text on
 * white in notebooks without a dark theme. Paper does not scroll, so text wraps in print; headers and numbers do not.
 */
export const FRAME_CSS: string = [
  `${R}{font:13px/1.4 system-ui,sans-serif;color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit));margin:4px 0}`,
  `${R} .af-scroll{overflow-x:auto;max-width:100%}`,
  `${R} .af-shape{font-weight:600;margin:0 0 4px}`,
  `${R} .af-note{opacity:.75;font-size:12px;margin:4px 0 0}`,
  `${R} :is(b,small){font-size:inherit;font-weight:inherit}`,
  `${R} table{border-collapse:collapse;border:0;margin:0;width:auto;table-layout:auto;font:inherit;color:inherit;font-variant-numeric:tabular-nums}`,
  `${R} :is(th,td){padding:3px 10px;border:0;text-align:left;vertical-align:top;white-space:nowrap;width:auto;max-width:none;unicode-bidi:isolate;background:none;color:inherit}`,
  `${R} thead th{font-weight:600;border-bottom:1px solid rgba(128,128,128,.6);vertical-align:bottom}`,
  `${R} tbody tr{background:none;border:0}`,
  `${R} tbody td{border-bottom:1px solid rgba(128,128,128,.18)}`,
  `${R} tbody tr:hover td{background:rgba(128,128,128,.12)}`,
  `${R} .af-dtype{font-weight:400;font-size:11px;opacity:.75}`,
  `${R} .af-num{text-align:right}`,
  `${R} .af-null{opacity:.75;font-style:italic}`,
  `${R} .af-gap{opacity:.75}`,
  `${R} td.af-wrap{white-space:normal;overflow-wrap:anywhere;min-width:12em;max-width:48em}`,
  `${R} img{max-width:100%;height:auto}`,
  `${R} a{color:var(--jp-content-link-color,var(--vscode-textLink-foreground,#2a76b8))}`,
  `@media print{${R} .af-scroll{overflow:visible}${R} td:not(.af-num){white-space:normal;overflow-wrap:anywhere}${R} :is(th,td){padding:2px 5px}}`,
].join("");
