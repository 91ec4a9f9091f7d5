import { once } from "node:events";
import { constants } from "node:os";

/** What emits SIGINT and SIGTERM: the process, or a test. */
export type SignalSource = NodeJS.EventEmitter;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** The exit code that shells give a process that a signal ended. */
const exitCodeOf = (signal: (typeof SIGNALS)[number]) => 128 + constants.signals[signal];

/**
 * Runs something with a signal that Ctrl+C and SIGTERM (cron, systemd, Slurm, `timeout`) abort; the command then ends with
 * {@link endBySignal}. A second one ends the process at once.
 */
export async function interruptible<T>(
  run: (signal: AbortSignal) => Promise<T>,
  signals: SignalSource = process,
): Promise<T> {
  const controller = new AbortController();
  const abort = (signal: (typeof SIGNALS)[number]) => {
    process.exitCode = exitCodeOf(signal);
    controller.abort();
  };
  for (const signal of SIGNALS) signals.once(signal, abort);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of SIGNALS) signals.off(signal, abort);
  }
}

/** The signal that interrupted the command; undefined if none did. */
export function interruption(): (typeof SIGNALS)[number] | undefined {
  return SIGNALS.find((signal) => exitCodeOf(signal) === process.exitCode);
}

/** Ends an interrupted process by the same signal, so that a shell ends its loop, too. */
export function endBySignal(): void {
  const signal = interruption();
  if (signal !== undefined) process.kill(process.pid, signal);
}

/** Runs until the first SIGINT or SIGTERM. */
export async function untilInterrupted(start: () => void, signals: SignalSource = process): Promise<void> {
  const listening = new AbortController();
  const received = SIGNALS.map((signal) => once(signals, signal, { signal: listening.signal }));
  start();
  await Promise.race(received);
  listening.abort();
  await Promise.allSettled(received);
}
