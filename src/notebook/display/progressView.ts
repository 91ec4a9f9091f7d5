import { resumedText, searchText, totalOf } from "../../call/progress.js";
import type { ProgressEvent } from "../../call/progressEvent.js";
import { verdictText } from "./caption.js";
import { escapeHtml } from "./displayText.js";
import { ROOT_CLASS } from "./frameCss.js";
import { formatCount, pluralize } from "./grid.js";
import type { MimeBundle } from "./mimeBundle.js";

const R = `.${ROOT_CLASS}.${ROOT_CLASS}`;

// Same colors as frames; the blue is legible on white and black.
const PROGRESS_CSS =
  `${R}{font:13px/1.4 system-ui,sans-serif;color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit));margin:4px 0;font-variant-numeric:tabular-nums}` +
  `${R} .af-bar{height:6px;max-width:480px;border-radius:3px;background:rgba(128,128,128,.25);overflow:hidden;margin:0 0 4px}` +
  `${R} .af-fill{height:100%;border-radius:3px;background:#2f81c7}` +
  `${R} .af-wait{background:#c77f2f}` +
  `${R} .af-open{width:30%;animation:af-open 2s ease-in-out infinite alternate}` +
  `@keyframes af-open{from{margin-left:0}to{margin-left:70%}}` +
  `@media(prefers-reduced-motion:reduce){${R} .af-open{animation:none;width:100%;opacity:.4}}`;

/** Characters of a query to show. */
const MAX_QUERY = 60;

const START = `<div class="${ROOT_CLASS} af-progress">`;

/** Whether HTML is a progress bar. Bars differ from run to run, so stored outputs leave them out. */
export function isProgress(html: string): boolean {
  return html.startsWith(START);
}

/** The bar of a running harvest. */
export function progressBundle(event: ProgressEvent): MimeBundle {
  const text = progressText(event);
  const total = totalOf(event);
  const value =
    total === undefined
      ? ""
      : ` aria-valuemin="0" aria-valuemax="${total}" aria-valuenow="${Math.min(event.rows, total)}"`;
  const bar = `<div class="af-bar" role="progressbar" aria-label="${escapeHtml(searchText(event, MAX_QUERY))}"${value}>${filled(event)}</div>`;
  return bundle(text, `${bar}<div>${escapeHtml(text)}</div>`, PROGRESS_CSS);
}

/** The one-line summary of a finished harvest. */
export function summaryBundle(event: ProgressEvent): MimeBundle {
  const { rows, pages, requests, seconds, verdict = "stopped", reason } = event;
  const counts = `${pluralize(rows, "row")} in ${pluralize(pages, "page")}, ${pluralize(requests, "request")}`;
  const details = [`${counts}, ${duration(seconds)}`, resumedText(event), verdictText({ verdict, reason })];
  const text = [searchText(event, MAX_QUERY), ...details.filter((part) => part !== "")].join(" · ");
  return bundle(text, escapeHtml(text), PROGRESS_CSS);
}

/**
 * The text below a bar.
 *
 * @example
 * progressText(event);
 * //=> "mentions climate · 2,400 of 5,000 rows · 24 pages, 24 requests · 812 rows/s · about 4 s left"
 */
export function progressText(event: ProgressEvent): string {
  const { rows, pages, requests, rate, waiting } = event;
  const total = totalOf(event);
  const of = total === undefined ? "" : ` of ${formatCount(total)}`;
  const left = total === undefined || rate <= 0 ? undefined : Math.max(0, total - rows) / rate;
  const estimate = left === undefined ? [] : [`about ${duration(left)} left`];
  const now = waiting === undefined ? [`${formatCount(rate)} rows/s`, ...estimate] : [waitText(waiting)];
  const cost = `${pluralize(pages, "page")}, ${pluralize(requests, "request")}`;
  const parts = [
    searchText(event, MAX_QUERY),
    `${formatCount(rows)}${of} row${(total ?? rows) === 1 ? "" : "s"}`,
    cost,
    resumedText(event),
    ...now,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function waitText(seconds: number): string {
  return seconds === 0 ? "retrying" : `waiting ${duration(seconds)} to retry`;
}

/**
 * A duration, rounded up to whole seconds.
 *
 * @example
 * duration(0.4);  //=> "1 s"
 * duration(125);  //=> "2 min 5 s"
 * duration(7260); //=> "2 h 1 min"
 */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** The fill of the bar. Without a known total it is animated, with a delay that keeps it moving across updates. */
function filled(event: ProgressEvent): string {
  const { rows, waiting, seconds } = event;
  const total = totalOf(event);
  const isOpen = total === undefined || total === 0;
  const classes = `af-fill${isOpen ? " af-open" : ""}${waiting === undefined ? "" : " af-wait"}`;
  const style = isOpen
    ? `animation-delay:-${(seconds % 4).toFixed(1)}s`
    : `width:${Math.min(100, (100 * rows) / total).toFixed(1)}%`;
  return `<div class="${classes}" style="${style}"></div>`;
}

function bundle(text: string, html: string, css: string): MimeBundle {
  return { "text/plain": text, "text/html": `${START}<style>${css}</style>${html}</div>` };
}
