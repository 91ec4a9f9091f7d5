/**
 * Runs something with a signal that Ctrl+C aborts. A second Ctrl+C ends the process as usual.
 *
 * @example
 * await interruptible((signal) => archive.save("bills", "out/", { query: "budget", signal }));
 */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.once("SIGINT", abort);
  try {
    return await run(controller.signal);
  } finally {
    process.off("SIGINT", abort);
  }
}
