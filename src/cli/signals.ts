import { once } from "node:events";

/** What emits SIGINT and SIGTERM: the process, or a test. */
export type SignalSource = Pick<NodeJS.EventEmitter, "once" | "off">;

/** Runs something with a signal that Ctrl+C and SIGTERM (cron, systemd, Slurm, `timeout`) abort. A second one ends the process as usual. */
export async function interruptible<T>(
  run: (signal: AbortSignal) => Promise<T>,
  signals: SignalSource = process,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of ["SIGINT", "SIGTERM"]) signals.once(name, abort);
  try {
    return await run(controller.signal);
  } finally {
    for (const name of ["SIGINT", "SIGTERM"]) signals.off(name, abort);
  }
}

/** Runs until the first SIGINT or SIGTERM. */
export async function untilInterrupted(start: () => void, signals?: SignalSource): Promise<void> {
  await interruptible((signal) => {
    start();
    return once(signal, "abort");
  }, signals);
}
