import { searchText, terminalBar } from "../call/progress.js";
import type { ProgressEvent } from "../call/progressEvent.js";
import { verdictText } from "../notebook/display/caption.js";
import { pluralize } from "../notebook/display/grid.js";
import { errorTerminal, printErrorLines } from "./print.js";

/** Seconds of a wait that a log should mention. */
const MIN_WAIT = 1;

/**
 * The progress of `save` on standard error: a line that counts waits down on a terminal, a line per wait in a log.
 *
 * @example
 * const progress = new SaveProgress();
 * await using archive = await openArchive({ progress: progress.report });
 * progress.summary; //=> "mentions climate: 250 rows, capped by maxItems"
 */
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
export function logWaits(event: ProgressEvent): void {
  const { waiting = 0, rows } = event;
  if (waiting < MIN_WAIT) return;
  printErrorLines([`${searchText(event, 60)}: waiting ${Math.ceil(waiting)} s after ${pluralize(rows, "row")}`]);
}
