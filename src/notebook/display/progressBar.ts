import type { ProgressEvent } from "../../call/progress.js";
import type { DisplayTimers } from "./displayTimers.js";
import type { OpenDisplay, OpenedDisplay } from "./openDisplay.js";
import { progressBundle, summaryBundle } from "./progressView.js";

/** Milliseconds between two updates at least. */
const PACE = 100;
/** A harvest shows no bar before it has taken so many seconds and pages, or waits so many seconds, unless it was resumed. */
const SECONDS = 0.5;
const PAGES = 2;
const WAITS = 1;

/** The bar of one harvest. */
export class ProgressBar {
  #shown: OpenedDisplay | undefined;
  #event: ProgressEvent | undefined;
  #eventAt = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | undefined;

  constructor(
    private readonly open: OpenDisplay,
    private readonly timers: DisplayTimers,
  ) {}

  /** The harvest goes on, waits, or is over. */
  report(event: ProgressEvent): void {
    this.#event = event;
    this.#eventAt = this.timers.now();
    if (event.verdict !== undefined) this.#end(event);
    else if (this.#shown !== undefined || isWorthIt(event)) this.#draw();
  }

  /** Shows what was reported last, now or as soon as the pace allows. */
  #draw(): void {
    const now = this.timers.now();
    if (now - this.#drawnAt < PACE) {
      this.#drawIn(this.#drawnAt + PACE - now);
      return;
    }
    this.#callOff?.();
    this.#drawnAt = now;
    const event = this.#event as ProgressEvent;
    const passed = (now - this.#eventAt) / 1000;
    const waiting = event.waiting === undefined ? undefined : Math.max(0, event.waiting - passed);
    const bundle = progressBundle({ ...event, seconds: event.seconds + passed, waiting });
    if (this.#shown === undefined) this.#shown = this.open(bundle);
    else this.#shown.update(bundle);
    if (waiting !== undefined && waiting > 0) this.#drawIn(Math.min(waiting, 1) * 1000);
  }

  #drawIn(ms: number): void {
    this.#callOff?.();
    this.#callOff = this.timers.after(ms, () => this.#draw());
  }

  #end(event: ProgressEvent): void {
    this.#callOff?.();
    this.#shown?.update(summaryBundle(event));
  }
}

function isWorthIt({ seconds, pages, waiting = 0, resumed = 0 }: ProgressEvent): boolean {
  return waiting >= WAITS || resumed > 0 || (seconds >= SECONDS && pages >= PAGES);
}
