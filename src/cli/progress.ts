import { eventText, type Terminal, terminalBar } from "../call/progress.js";
import type { ProgressEvent, SearchProgress } from "../call/progressEvent.js";
import { parametersText } from "../corpus/corpusText.js";
import { verdictText } from "../service/paging/provenanceRecorder.js";
import { pluralize } from "../util/counts.js";
import { printErrorLines } from "./print.js";

/** Shorter waits (in seconds) are not logged. */
const MIN_WAIT = 1;
/** Seconds between looks at the searches of a corpus, of which there may be thousands. */
const LOG_INTERVAL = 1;

/** The progress of a command on standard error: a progress line on a terminal, otherwise a line per wait and completed search. */
export class CommandProgress {
  #last: ProgressEvent | undefined;
  readonly #show: (event: ProgressEvent) => void;

  /** @param terminal undefined for a log */
  constructor(terminal: Terminal | undefined) {
    this.#show = terminal === undefined ? progressLog() : terminalBar(terminal, 1);
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

/** Prints a line for each wait, and for each search of a corpus that this run completes. */
function progressLog(): (event: ProgressEvent) => void {
  let completeBefore: ReadonlySet<number> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return (event) => {
    const { waiting = 0, rows, seconds, searches, verdict } = event;
    if (waiting >= MIN_WAIT)
      printErrorLines([`${eventText(event, 60)}: waiting ${Math.ceil(waiting)} s after ${pluralize(rows, "row")}`]);
    if (searches === undefined || (verdict === undefined && seconds - last < LOG_INTERVAL)) return;
    last = seconds;
    const all = searches();
    const complete = [...all.keys()].filter((at) => all[at]?.done === all[at]?.windows);
    // Those that were complete before this run are not its work.
    const added = completeBefore === undefined ? [] : complete.filter((at) => !completeBefore?.has(at));
    printErrorLines(added.map((at) => searchLine(all[at] as SearchProgress)));
    completeBefore = new Set(complete);
  };
}

function searchLine({ parameters, rows, windows }: SearchProgress): string {
  return `${parametersText(parameters)}: ${pluralize(rows, "row")} in ${pluralize(windows, "window")}`;
}
