import { eventText, type ProgressEvent, resumedText } from "../../call/progress.js";
import { isObject } from "../../util/objects.js";
import { formatCount, pluralize, verdictText } from "../../util/text.js";
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

const MAX_QUERY = 60;

const START = `<div class="${ROOT_CLASS} af-progress"`;
const STYLE =
  "font:13px/1.4 system-ui,sans-serif;color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit))";

/** The bar of a running call, if its total is known, and the text below it. */
export function progressBundle(event: ProgressEvent): MimeBundle {
  const { rows, maxItems: total } = event;
  if (!total) return bundle(progressText(event));
  const label = escapeHtml(eventText(event, MAX_QUERY));
  const attributes = `aria-label="${label}" max="${total}" value="${Math.min(rows, total)}"`;
  return bundle(progressText(event), `<progress ${attributes} style="width:100%;max-width:480px"></progress>`);
}

/** The one-line summary of a finished call. */
export function summaryBundle(event: ProgressEvent): MimeBundle {
  const { rows, pages, requests, seconds, verdict = "stopped", reason } = event;
  const counts = `${pluralize(rows, "row")} in ${pluralize(pages, "page")}, ${pluralize(requests, "request")}`;
  const details = [`${counts}, ${duration(seconds)}`, resumedText(event), verdictText({ verdict, reason })];
  return bundle([eventText(event, MAX_QUERY), ...details.filter((part) => part !== "")].join(" · "));
}

/** `mentions climate · 2,400 of 5,000 rows · 24 pages, 24 requests · 812 rows/s · about 4 s left` */
export function progressText(event: ProgressEvent): string {
  const { rows, pages, requests, rate, waiting, maxItems: total } = event;
  const of = total === undefined ? "" : ` of ${formatCount(total)}`;
  const left = total === undefined || rate <= 0 ? undefined : Math.max(0, total - rows) / rate;
  const parts = [
    eventText(event, MAX_QUERY),
    `${formatCount(rows)}${of} row${(total ?? rows) === 1 ? "" : "s"}`,
    `${pluralize(pages, "page")}, ${pluralize(requests, "request")}`,
    resumedText(event),
    waiting === undefined ? `${formatCount(rate)} rows/s` : `waiting ${duration(waiting)} to retry`,
    waiting === undefined && left !== undefined ? `about ${duration(left)} left` : "",
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

function bundle(text: string, bar = ""): MimeBundle {
  return { "text/plain": text, "text/html": `${START} style="${STYLE}">${bar}<div>${escapeHtml(text)}</div></div>` };
}

type Output = Readonly<Record<string, unknown>>;

/**
 * The outputs of a cell without progress bars, with the texts before and after a bar joined. Otherwise two runs of a notebook would
 * differ by how long its searches took.
 */
export function withoutProgress<T extends Output>(outputs: readonly T[]): T[] {
  const kept: T[] = [];
  for (const output of outputs) {
    const html = isObject(output.data) ? textOf(output.data["text/html"]) : undefined;
    if (html?.startsWith(START)) continue;
    const last = kept.at(-1);
    const isSame = output.output_type === "stream" && last?.output_type === "stream" && last.name === output.name;
    if (isSame) kept[kept.length - 1] = { ...last, text: `${textOf(last.text) ?? ""}${textOf(output.text) ?? ""}` };
    else kept.push(output);
  }
  return kept;
}
