import type { ProgressEvent } from "../../call/progressEvent.js";
import type { DisplayHandle, OpenDisplay } from "./mimeBundle.js";
import { openDisplay } from "./openDisplay.js";
import { progressBundle, summaryBundle } from "./progressView.js";

/**
 * Progress bars for harvests in a notebook. Each harvest that waits, resumes, or takes more than one page and half a second
 * gets a bar of its own. A bar updates at most ten times a second, counts down while the service asks to wait, and
 * collapses to a one-line summary at the end.
 *
 * @param open shows a bar; default: under the running cell, as {@link show} does
 * @returns a callback for the `progress` option of a client or a call
 * @example
 * const archive = new ArchiveClient({ progress: progressDisplay() });
 */
export function progressDisplay(open: OpenDisplay = openDisplay): (event: ProgressEvent) => void {
  return createProgressDisplay(open, systemTimers);
}

/** {@link progressDisplay} with injectable timers. */
export function createProgressDisplay(open: OpenDisplay, timers: Timers): (event: ProgressEvent) => void {
  const bars = new Map<number, ProgressBar>();
  return (event) => {
    const { harvest, verdict } = event;
    const bar = bars.get(harvest) ?? new ProgressBar(open, timers);
    bars.set(harvest, bar);
    bar.report(event);
    if (verdict !== undefined) bars.delete(harvest);
  };
}

/** The time functions a bar needs. */
export interface Timers {
  /** Milliseconds, from an arbitrary origin. */
  now(): number;
  /** Runs a function once after `ms` milliseconds and returns a function that cancels it. Does not keep the process alive. */
  schedule(ms: number, run: () => void): () => void;
}

/** The real timers. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  schedule(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Minimum time between two updates, in milliseconds. */
const UPDATE_INTERVAL = 100;

/** A bar appears after this many seconds and pages, or once a wait is at least this long. A resumed harvest shows it at once. */
const MIN_SECONDS = 0.5;
const MIN_PAGES = 2;
const MIN_WAIT = 1;

/** The bar of one harvest. */
class ProgressBar {
  #handle: DisplayHandle | undefined;
  #event: ProgressEvent | undefined;
  #eventAt = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly open: OpenDisplay,
    private readonly timers: Timers,
  ) {}

  report(event: ProgressEvent): void {
    this.#event = event;
    this.#eventAt = this.timers.now();
    if (event.verdict !== undefined) this.#finish(event);
    else if (this.#handle !== undefined || deservesBar(event)) this.#draw();
  }

  /** Draws the latest event, now or as soon as the update interval allows. */
  #draw(): void {
    const now = this.timers.now();
    if (now - this.#drawnAt < UPDATE_INTERVAL) {
      this.#drawIn(this.#drawnAt + UPDATE_INTERVAL - now);
      return;
    }
    this.#cancel?.();
    this.#drawnAt = now;
    const event = this.#event as ProgressEvent;
    const elapsed = (now - this.#eventAt) / 1000;
    const waiting = event.waiting === undefined ? undefined : Math.max(0, event.waiting - elapsed);
    const bundle = progressBundle({ ...event, seconds: event.seconds + elapsed, waiting });
    if (this.#handle === undefined) this.#handle = this.open(bundle);
    else this.#handle.update(bundle);
    if (waiting !== undefined && waiting > 0) this.#drawIn(Math.min(waiting, 1) * 1000);
  }

  #drawIn(ms: number): void {
    this.#cancel?.();
    this.#cancel = this.timers.schedule(ms, () => this.#draw());
  }

  #finish(event: ProgressEvent): void {
    this.#cancel?.();
    this.#handle?.update(summaryBundle(event));
  }
}

function deservesBar({ seconds, pages, waiting = 0, resumed = 0 }: ProgressEvent): boolean {
  return waiting >= MIN_WAIT || resumed > 0 || (seconds >= MIN_SECONDS && pages >= MIN_PAGES);
}
