import pLimit from "p-limit";
import type { LinkedAbort } from "../service/http/linkedAbort.js";

/**
 * Does several things side by side, a few at a time. The first that fails stops the others, before another begins.
 *
 * @throws what the first that fails throws
 */
export async function together(
  tasks: ReadonlyArray<() => Promise<void>>,
  atOnce: number,
  stop: LinkedAbort,
): Promise<void> {
  const limited = pLimit(atOnce);
  const guarded = async (task: () => Promise<void>) => {
    try {
      await task();
    } catch (error) {
      stop.abort();
      throw error;
    }
  };
  await Promise.all(tasks.map((task) => limited(() => guarded(task))));
}
