import pLimit from "p-limit";
import type { CallSignal } from "../util/callSignal.js";

/**
 * Does several things side by side, a few at a time. The first that fails stops the others, before another begins.
 *
 * @throws what the first that fails throws
 */
export async function together(
  tasks: ReadonlyArray<() => Promise<void>>,
  atOnce: number,
  stop: CallSignal,
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
