import { requestsText, resumedText, searchText } from "../../call/progress.js";
import type { ProgressEvent } from "../../call/progressEvent.js";
import { verdictText } from "../../service/paging/provenanceRecorder.js";
import { formatCount, pluralize } from "../../util/counts.js";
import { isObject } from "../../util/isObject.js";
import { textOf } from "../notebookFormat.js";
import { escapeHtml } from "./displayText.js";
import { ROOT_CLASS } from "./gridHtml.js";
import type { DisplayHandle, MimeBundle, OpenDisplay } from "./mimeBundle.js";

/**
 * Progress bars below the running cell. A search that waits, resumes, or takes more than one page and half a second gets a bar of
 * its own, which collapses to a one-line summary at the end.
 *
 * @param open opens a display that limits its updates, as those of the kernel do
 */
export function createProgressDisplay(open: OpenDisplay): (event: ProgressEvent) => void {
  const bars = new Map<number, DisplayHandle>();
  return (event) => {
    const { call, verdict, seconds, pages, waiting = 0, resumed = 0 } = event;
    const bar = bars.get(call);
    if (verdict !== undefined) {
      bar?.update(summaryBundle(event));
      bars.delete(call);
    } else if (bar !== undefined) bar.update(progressBundle(event));
    else if (waiting >= MIN_WAIT || resumed > 0 || (seconds >= MIN_SECONDS && pages >= MIN_PAGES))
      bars.set(call, open(progressBundle(event)));
  };
}

/** A bar appears after this many seconds and pages, or once a wait is at least this long. A resumed call shows it at once. */
const MIN_SECONDS = 0.5;
const MIN_PAGES = 2;
const MIN_WAIT = 1;

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

/** The bar of a running call. */
export function progressBundle(event: ProgressEvent): MimeBundle {
  const { rows, waiting, seconds, maxItems: total } = event;
  const text = progressText(event);
  const label = escapeHtml(searchText(event, MAX_QUERY));
  const wait = waiting === undefined ? "" : " af-wait";
  // Without a known total the bar is animated, with a delay that keeps it moving across updates.
  const [value, fill] = total
    ? [
        ` aria-valuemin="0" aria-valuemax="${total}" aria-valuenow="${Math.min(rows, total)}"`,
        `<div class="af-fill${wait}" style="width:${Math.min(100, (100 * rows) / total).toFixed(1)}%"></div>`,
      ]
    : ["", `<div class="af-fill af-open${wait}" style="animation-delay:-${(seconds % 4).toFixed(1)}s"></div>`];
  const bar = `<div class="af-bar" role="progressbar" aria-label="${label}"${value}>${fill}</div>`;
  return bundle(text, `${bar}<div>${escapeHtml(text)}</div>`);
}

/** The one-line summary of a finished call. */
export function summaryBundle(event: ProgressEvent): MimeBundle {
  const { rows, pages, requests, seconds, verdict = "stopped", reason } = event;
  const counts = `${pluralize(rows, "row")} in ${pluralize(pages, "page")}, ${pluralize(requests, "request")}`;
  const details = [`${counts}, ${duration(seconds)}`, resumedText(event), verdictText({ verdict, reason })];
  const text = [searchText(event, MAX_QUERY), ...details.filter((part) => part !== "")].join(" · ");
  return bundle(text, escapeHtml(text));
}

/**
 * The text below a bar.
 *
 * @example
 * progressText(event);
 * //=> "mentions climate · 2,400 of 5,000 rows · 24 pages, 24 requests · 812 rows/s · about 4 s left"
 */
export function progressText(event: ProgressEvent): string {
  const { rows, pages, rate, waiting, maxItems: total } = event;
  const of = total === undefined ? "" : ` of ${formatCount(total)}`;
  const left = total === undefined || rate <= 0 ? undefined : Math.max(0, total - rows) / rate;
  const estimate = left === undefined ? [] : [`about ${duration(left)} left`];
  const now =
    waiting === undefined ? [`${formatCount(rate)} rows/s`, ...estimate] : [`waiting ${duration(waiting)} to retry`];
  const cost = `${pluralize(pages, "page")}, ${requestsText(event)}`;
  const parts = [
    searchText(event, MAX_QUERY),
    `${formatCount(rows)}${of} row${(total ?? rows) === 1 ? "" : "s"}`,
    cost,
    resumedText(event),
    ...now,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** A duration, rounded up to whole seconds. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function bundle(text: string, html: string): MimeBundle {
  return { "text/plain": text, "text/html": `${START}<style>${PROGRESS_CSS}</style>${html}</div>` };
}

type Output = Readonly<Record<string, unknown>>;

/**
 * The outputs of a cell without progress bars, and text that only a bar stood between as one: how long things took, and
 * whether there was a bar at all, would make two runs differ that say the same.
 */
export function withoutProgress<T extends Output>(outputs: readonly T[]): T[] {
  const kept: T[] = [];
  for (const output of outputs) {
    const html = isObject(output.data) ? textOf(output.data["text/html"]) : undefined;
    if (html?.startsWith(START)) continue;
    const last = kept.at(-1);
    if (last !== undefined && isStream(last) && isStream(output) && last.name === output.name) {
      kept[kept.length - 1] = { ...last, text: `${textOf(last.text)}${textOf(output.text)}` };
    } else {
      kept.push(output);
    }
  }
  return kept;
}

function isStream({ output_type, text }: Output): boolean {
  return output_type === "stream" && textOf(text) !== undefined;
}
