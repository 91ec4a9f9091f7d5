import { clip, clipStart } from "../../util/quoted.js";
import type { Note } from "./caption.js";
import { escapeHtml, printable, printableLines } from "./displayText.js";
import { type Cell, type Grid, type GridColumn, insertAt } from "./grid.js";

/** Length limits of texts in a grid. */
interface TextLimits {
  /** Visible characters of a cell or name. */
  readonly width: number;
  /** Characters of the hover title with the full text; 0 for no titles. */
  readonly title: number;
  /** Whether long texts wrap. */
  readonly wrap?: boolean;
  /** Whether http and https addresses are links. */
  readonly links?: boolean;
}

const GAP = "…";

/** Links that may be clicked. */
const LINK = /^https?:\/\/[^\s\p{Cc}\p{Cf}\p{Cs}"'<>\\^`{|}]{1,2000}$/iu;

/**
 * A grid as HTML: one `div` with style sheet, shape, table and caption. All names and values are escaped; there are no scripts and
 * no external resources.
 *
 * @param note a caption, shown below the table, and lines to show on hover
 */
export function gridHtml(grid: Grid, note: Note | undefined, limits: TextLimits): string {
  const { columns, shape } = grid;
  const table =
    columns.length === 0
      ? ""
      : `<div class="af-scroll" tabindex="0"><table width="${tableWidth(grid, limits)}">${head(grid, limits)}${body(grid, limits)}</table></div>`;
  const below = note === undefined ? "" : noteHtml(note);
  return `<div class="${ROOT_CLASS}"><style>${FRAME_CSS}</style><div class="af-shape"><b>${escapeHtml(shape)}</b></div>${table}${below}</div>`;
}

/** A picture with a caption as HTML. Every viewer shows an `img`, also those that remove the elements of SVG. */
export function pictureHtml(svg: string, description: string, note: Note | undefined): string {
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  const picture = `<img src="${source}" alt="${text(description, 400)}">`;
  return `<div class="${ROOT_CLASS}"><style>${FRAME_CSS}</style>${picture}${note === undefined ? "" : noteHtml(note)}</div>`;
}

/** A table of very many sources shows the first ones. */
const MAX_LINES = 20;
const MAX_LINE = 1000;

/** The line below a table or a chart. */
function noteHtml({ text: caption, lines }: Note): string {
  const title = lines
    .slice(0, MAX_LINES)
    .map((line) => text(line, MAX_LINE))
    .join("\n");
  return `<div class="af-note"><small title="${title}">${text(caption, 400)}</small></div>`;
}

function tableWidth({ columns, columnGap }: Grid, limits: TextLimits): number {
  const gap = columnGap === undefined ? 0 : CHARACTER + PADDING;
  return columns.reduce((sum, column) => sum + widthOf(column, limits), gap);
}

function head({ columns, columnGap }: Grid, limits: TextLimits): string {
  const cells = columns.map((column) => {
    const { name, dtype, numeric } = column;
    const { shown, title } = clipped(name, undefined, limits);
    const classes = numeric ? ' class="af-num"' : "";
    // Reads well without the style sheet too, which some viewers remove.
    const dtypeHtml = `<br><small class="af-dtype">${text(dtype, 60)}</small>`;
    return `<th${classes} width="${widthOf(column, limits)}"${title}>${shown}${dtypeHtml}</th>`;
  });
  return `<thead><tr>${insertAt(cells, columnGap, `<th class="af-gap" width="${CHARACTER + PADDING}">${GAP}</th>`).join("")}</tr></thead>`;
}

/** Pixels of a character, of the space around a cell, and of the widest column. */
const CHARACTER = 8;
const PADDING = 20;
const MAX_WIDTH = 320;

/** The width of a column without the style sheet: a narrow page would squeeze text to a word per line. With it, the table scrolls. */
function widthOf({ name, dtype, cells }: GridColumn, { width }: TextLimits): number {
  const longest = [name, dtype, ...cells.map((cell) => cell?.text ?? "null")].reduce(
    (most, { length }) => Math.max(most, Math.min(length, width)),
    0,
  );
  return Math.min(CHARACTER * longest + PADDING, MAX_WIDTH);
}

function body({ columns, rows, rowGap, columnGap }: Grid, limits: TextLimits): string {
  const gapCell = (numeric: boolean) => `<td class="${numeric ? "af-num " : ""}af-gap">${GAP}</td>`;
  const line = (cells: string[]) => `<tr>${insertAt(cells, columnGap, gapCell(false)).join("")}</tr>`;
  const lines = Array.from({ length: rows }, (_, at) => line(columns.map((column) => cellHtml(column, at, limits))));
  return `<tbody>${insertAt(lines, rowGap, line(columns.map(({ numeric }) => gapCell(numeric)))).join("")}</tbody>`;
}

function cellHtml({ cells, numeric, context }: GridColumn, at: number, limits: TextLimits): string {
  const cell: Cell | null = cells[at] ?? null;
  const classes = numeric ? ' class="af-num"' : "";
  if (cell === null) return `<td${classes}><i class="af-null">null</i></td>`;
  if (limits.links && LINK.test(cell.text)) {
    const href = escapeHtml(cell.text);
    return `<td${classes}><a href="${href}" target="_blank" rel="noopener noreferrer">${text(cell.text, limits.width)}</a></td>`;
  }
  const { shown, title } = clipped(cell.text, cell.full, limits, context === "left" ? clipStart : clip);
  if (context === "keyword") return `<td${title}><strong>${shown}</strong></td>`;
  if (!limits.wrap || numeric) return `<td${classes}${title}>${shown}</td>`;
  return `<td class="af-wrap"${title}>${shown}</td>`;
}

/** The visible text, and a title attribute if the text is clipped. */
function clipped(
  whole: string,
  full: string | undefined,
  { width, title }: TextLimits,
  shorten: (whole: string, length: number) => string = clip,
): { shown: string; title: string } {
  const shown = escapeHtml(printable(shorten(whole, width)));
  const isAll = full === undefined && whole.length <= width;
  return {
    shown,
    title: isAll || title === 0 ? "" : ` title="${escapeHtml(printableLines(clip(full ?? whole, title)))}"`,
  };
}

function text(whole: string, length: number): string {
  return escapeHtml(printable(clip(whole, length)));
}

/**
 * The CSS class of all HTML of this package; reports recognize our HTML by it. All selectors repeat the class to outrank the
 * styles of the notebook.
 */
export const ROOT_CLASS = "archive-frames";

const R = `.${ROOT_CLASS}.${ROOT_CLASS}`;

// Colors come from the notebook's CSS variables (JupyterLab, VS Code) or are inherited; the greys are legible on white and black.
// prefers-color-scheme would give white text on white in notebooks without a dark theme.
const RULES: Readonly<Record<string, string>> = {
  [R]: "font:13px/1.4 system-ui,sans-serif;color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit));margin:4px 0",
  // Fades out where the table continues. Browsers without scroll timelines show no fade.
  [`${R} .af-scroll`]: "overflow-x:auto;max-width:100%;animation:af-fade linear;animation-timeline:scroll(self x)",
  [`${R} .af-shape`]: "font-weight:600;margin:0 0 4px",
  [`${R} .af-note`]: "opacity:.75;font-size:12px;margin:4px 0 0",
  [`${R} :is(b,small)`]: "font-size:inherit;font-weight:inherit",
  [`${R} table`]:
    "border-collapse:collapse;border:0;margin:0;width:auto;table-layout:auto;font:inherit;color:inherit;font-variant-numeric:tabular-nums",
  [`${R} :is(th,td)`]:
    "padding:3px 10px;border:0;text-align:left;vertical-align:top;white-space:nowrap;width:auto;max-width:none;unicode-bidi:isolate;background:none;color:inherit",
  [`${R} thead th`]: "font-weight:600;border-bottom:1px solid rgba(128,128,128,.6);vertical-align:bottom",
  [`${R} tbody tr`]: "background:none;border:0",
  [`${R} tbody td`]: "border-bottom:1px solid rgba(128,128,128,.18)",
  [`${R} tbody tr:hover td`]: "background:rgba(128,128,128,.12)",
  [`${R} .af-dtype`]: "font-weight:400;font-size:11px;opacity:.75",
  [`${R} .af-num`]: "text-align:right",
  [`${R} .af-null`]: "opacity:.75;font-style:italic",
  [`${R} .af-gap`]: "opacity:.75",
  [`${R} td.af-wrap`]: "white-space:normal;overflow-wrap:anywhere;min-width:12em;max-width:48em",
  [`${R} img`]: "max-width:100%;height:auto",
  [`${R} a`]: "color:var(--jp-content-link-color,var(--vscode-textLink-foreground,#2a76b8))",
};

/** The style sheet of frames. Every display includes it, because it may be the only one on its page. */
export const FRAME_CSS: string = cssText(RULES);

/** Renders the rules. Paper does not scroll, so text wraps in print; headers and numbers do not. */
function cssText(rules: Readonly<Record<string, string>>): string {
  const all = Object.entries(rules).map(([selector, body]) => `${selector}{${body}}`);
  const print = `${R} .af-scroll{overflow:visible;animation:none}${R} td:not(.af-num){white-space:normal;overflow-wrap:anywhere}`;
  const fade =
    "@keyframes af-fade{0%,95%{mask-image:linear-gradient(to left,transparent,#000 40px)}100%{mask-image:none}}";
  return `${all.join("")}${fade}@media print{${print}${R} :is(th,td){padding:2px 5px}}`;
}
