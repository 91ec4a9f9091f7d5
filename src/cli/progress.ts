import { eventText, type Terminal, terminalBar } from "../call/progress.js";
import type { ProgressEvent, SearchProgress } from "../call/progressEvent.js";
import { parametersText } from "../corpus/corpusText.js";
import { verdictText } from "../service/paging/provenanceRecorder.js";
import { formatCount, pluralize } from "../util/counts.js";
import { tableLines } from "../util/tableLines.js";
import { errorTerminal, printErrorLines } from "./print.js";

/** Shorter waits (in seconds) are not logged. */
const MIN_WAIT = 1;

/** The progress of `save` on standard error: a progress line on a terminal, otherwise a line per wait. */
export class SaveProgress {
  #last: ProgressEvent | undefined;
  readonly #show: (event: ProgressEvent) => void;

  constructor() {
    const terminal = errorTerminal();
    this.#show = terminal === undefined ? logWaits : terminalBar(terminal, 1);
  }

  /** For the option `progress`. */
  readonly report = (event: ProgressEvent): void => {
    this.#last = event;
    this.#show(event);
  };

  /** Prints the number of rows and the verdict; nothing if nothing was requested. */
  printSummary(): void {
    const event = this.#last;
    if (event?.verdict === undefined) return;
    const { rows, verdict, reason } = event;
    printErrorLines([`${eventText(event, 60)}: ${pluralize(rows, "row")}, ${verdictText({ verdict, reason })}`]);
  }
}

function logWaits(event: ProgressEvent): void {
  const { waiting = 0, rows } = event;
  if (waiting < MIN_WAIT) return;
  printErrorLines([`${eventText(event, 60)}: waiting ${Math.ceil(waiting)} s after ${pluralize(rows, "row")}`]);
}

/** Terminal lines that the table leaves free. */
const FREE_LINES = 4;
const MAX_LINES = 20;
const DEFAULT_HEIGHT = 24;
/** Seconds between checks for complete searches in a log. */
const LOG_INTERVAL = 1;

export interface CorpusTerminal extends Terminal {
  readonly rows?: number | undefined;
}

/** The progress of a corpus run: on a terminal a table with a line per search, otherwise a line for each completed search. */
export function corpusProgress(terminal: CorpusTerminal | undefined): (event: ProgressEvent) => void {
  if (terminal === undefined) return searchLog((line) => printErrorLines([line]));
  // A pseudo-terminal without a size has 0 rows.
  const maxLines = () => Math.min(MAX_LINES, (terminal.rows || DEFAULT_HEIGHT) - FREE_LINES);
  return terminalBar(terminal, 1, (event) => progressTable(event.searches?.() ?? [], maxLines()));
}

/**
 * One line per search: those in progress, then the pending ones, and a last line for the rest.
 *
 * @example
 * progressTable([{ parameters: { query: "climate" }, windows: 12, done: 3, rows: 812, isFetching: true }], 20);
 * //=> ["search   windows  rows", "climate  3/12     812"]
 */
export function progressTable(searches: readonly SearchProgress[], maxLines: number): string[] {
  const isComplete = ({ done, windows }: SearchProgress) => done === windows;
  const active = searches.filter((search) => search.isFetching && !isComplete(search));
  const pending = searches.filter((search) => !search.isFetching && !isComplete(search));
  // Two lines are for the header and the rest.
  const shown = [...active, ...pending].slice(0, Math.max(0, maxLines - 2));
  if (shown.length === 0) return [];
  const complete = searches.filter(isComplete).length;
  const more = active.length + pending.length - shown.length;
  const rest = [
    ...(more > 0 ? [`${formatCount(more)} more`] : []),
    ...(complete > 0
      ? [`${formatCount(complete)} of ${pluralize(searches.length, "search", "searches")} complete`]
      : []),
  ].join(", ");
  const rows = shown.map((search) => ({
    search: parametersText(search.parameters),
    windows: `${search.done}/${search.windows}`,
    rows: formatCount(search.rows),
  }));
  return [...tableLines(rows), ...(rest === "" ? [] : [rest])];
}

/** Writes a line for each completed search and each long wait. */
export function searchLog(write: (line: string) => void): (event: ProgressEvent) => void {
  let known: Set<number> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return (event) => {
    logWaits(event);
    if (event.searches === undefined) return;
    if (event.verdict === undefined && event.seconds - last < LOG_INTERVAL) return;
    last = event.seconds;
    const searches = event.searches();
    const complete = new Set(searches.flatMap(({ done, windows }, at) => (done === windows ? [at] : [])));
    for (const at of complete) {
      // Skip searches that were complete before this run.
      if (known === undefined || known.has(at)) continue;
      const { parameters, windows, rows } = searches[at] as SearchProgress;
      write(`${parametersText(parameters)}: ${pluralize(rows, "row")} in ${pluralize(windows, "window")}`);
    }
    known = complete;
  };
}
