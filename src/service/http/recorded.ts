import { setImmediate } from "node:timers/promises";
import { AbortedError } from "../errors/index.js";
import type { AskContext, Cost } from "./asker.js";

/**
 * Gives an answer that was kept, as if it came from the service: it counts with what it has cost then.
 *
 * @throws AbortedError where the signal has aborted
 */
export async function recorded<T>(answer: T, cost: Cost, context: AskContext | undefined): Promise<T> {
  // Nothing here waits for a network: whoever wants to interrupt gets a turn.
  await setImmediate();
  if (context?.signal?.aborted) throw new AbortedError(undefined, context.signal.reason);
  context?.onRecorded?.(cost);
  return answer;
}
