import { SignalHub } from "./signalHub.js";

/** One for all: a signal is listened to once, however many calls it stops. */
const hub = new SignalHub();

/**
 * Calls `stop` when a signal aborts, at once if it already has.
 *
 * @returns stops listening
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  return hub.listen(signal, stop);
}
