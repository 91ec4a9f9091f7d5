import { eventText, progressLine, type Terminal, terminalBar } from "../call/progress.js";
import type { ProgressEvent } from "../call/progressEvent.js";
import { pluralize } from "../util/counts.js";
import { verdictText } from "../util/verdictText.js";
import { printErrorLines } from "./print.js";

/** Shorter waits (in seconds) are not logged. */
const MIN_WAIT = 1;
/** Seconds between two lines. */
const LOG_INTERVAL = 30;

/** The progress of a command on standard error: a progress line on a terminal, otherwise lines of a log. */
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

/** Prints a line for each wait, and every half minute. */
function progressLog(): (event: ProgressEvent) => void {
  let last = 0;
  return (event) => {
    if ((event.waiting ?? 0) < MIN_WAIT && event.seconds - last < LOG_INTERVAL) return;
    last = event.seconds;
    printErrorLines([progressLine(event)]);
  };
}
