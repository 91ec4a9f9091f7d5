import { searchText, type Terminal, terminalBar } from "../call/progress.js";
import type { ProgressEvent, SearchProgress } from "../call/progressEvent.js";
import { parametersText } from "../corpus/corpusText.js";
import { verdictText } from "../service/paging/provenanceRecorder.js";
import { formatCount, pluralize } from "../util/counts.js";
import { tableLines } from "../util/tableLines.js";
import { errorTerminal, printErrorLines } from "./print.js";

/** Seconds of a wait that a log should mention. */
const MIN_WAIT = 1;

/** The progress of `save` on standard error: a line that counts waits down on a terminal, a line per wait in a log. */
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

  /** How many rows there are, and whether these are all; undefined if nothing was requested. */
  get summary(): string | undefined {
    const event = this.#last;
    if (event?.verdict === undefined) return undefined;
    const { rows, verdict, reason } = event;
    return `${searchText(event, 60)}: ${pluralize(rows, "row")}, ${verdictText({ verdict, reason })}`;
  }
}

/** Writes a line for a long wait. */
function logWaits(event: ProgressEvent): void {
  const { waiting = 0, rows } = event;
  if (waiting < MIN_WAIT) return;
  printErrorLines([`${searchText(event, 60)}: waiting ${Math.ceil(waiting)} s after ${pluralize(rows, "row")}`]);
}

/** Lines of a terminal that the table leaves free, at least. */
const FREE_LINES = 4;
const MOST_LINES = 20;
const DEFAULT_HEIGHT = 24;
/** Seconds between two looks at the searches for a log. */
const LOG_EVERY = 1;

export interface CorpusTerminal extends Terminal {
  readonly rows?: number | undefined;
}

/**
 * The progress of a run over a corpus: a table with a line per search on a terminal; without one, a line on standard error for every
 * search that is complete.
 */
export function corpusProgress(terminal: CorpusTerminal | undefined): (event: ProgressEvent) => void {
  if (terminal === undefined) return searchLog((line) => printErrorLines([line]));
  // A pseudo-terminal without a size has 0 rows.
  const most = () => Math.min(MOST_LINES, (terminal.rows || DEFAULT_HEIGHT) - FREE_LINES);
  return terminalBar(terminal, 1, (event) => progressTable(event.searches?.() ?? [], most()));
}

/**
 * A line for each search that is being fetched, then for those that are to come, and one for those that do not fit.
 *
 * @param most lines, at most
 * @example
 * progressTable([{ parameters: { query: "climate" }, windows: 12, done: 3, rows: 812, isFetching: true }], 20);
 * //=> ["search   windows  rows", "climate  3/12     812"]
 */
export function progressTable(searches: readonly SearchProgress[], most: number): string[] {
  const isComplete = ({ done, windows }: SearchProgress) => done === windows;
  const atWork = searches.filter((search) => search.isFetching && !isComplete(search));
  const toCome = searches.filter((search) => !search.isFetching && !isComplete(search));
  // The header, and the line of those that are not shown.
  const shown = [...atWork, ...toCome].slice(0, Math.max(0, most - 2));
  if (shown.length === 0) return [];
  const complete = searches.filter(isComplete).length;
  const more = atWork.length + toCome.length - shown.length;
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

/** Writes a line for each search that is complete, and for long waits. */
export function searchLog(write: (line: string) => void): (event: ProgressEvent) => void {
  let known: Set<number> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return (event) => {
    logWaits(event);
    if (event.searches === undefined) return;
    if (event.verdict === undefined && event.seconds - last < LOG_EVERY) return;
    last = event.seconds;
    const searches = event.searches();
    const complete = new Set(searches.flatMap(({ done, windows }, at) => (done === windows ? [at] : [])));
    for (const at of complete) {
      // Searches that were complete before this run are not reported.
      if (known === undefined || known.has(at)) continue;
      const { parameters, windows, rows } = searches[at] as SearchProgress;
      write(`${parametersText(parameters)}: ${pluralize(rows, "row")} in ${pluralize(windows, "window")}`);
    }
    known = complete;
  };
}
