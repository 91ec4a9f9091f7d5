import type { ProgressEvent } from "../../call/progress.js";
import { type DisplayTimers, systemTimers } from "./displayTimers.js";
import { type OpenDisplay, openDisplay } from "./openDisplay.js";
import { ProgressBar } from "./progressBar.js";

/**
 * Bars for harvests in a notebook: one for each that takes more than a page and half a second, or waits; several at once
 * where several run. A bar moves ten times a second at most, counts down where the service wants a pause, and ends as one line
 * that says what came.
 *
 * @param open shows a bar; default as {@link show} does
 * @param timers tests bring their own
 * @returns what to give as `progress` to a client, or to leave in the host object of a kernel
 * @example
 * const archive = new ArchiveClient({ progress: progressDisplay() });
 */
export function progressDisplay(
  open: OpenDisplay = openDisplay,
  timers: DisplayTimers = systemTimers,
): (event: ProgressEvent) => void {
  const bars = new Map<number, ProgressBar>();
  return (event) => {
    const { harvest, verdict } = event;
    const bar = bars.get(harvest) ?? new ProgressBar(open, timers);
    bars.set(harvest, bar);
    bar.report(event);
    if (verdict !== undefined) bars.delete(harvest);
  };
}
