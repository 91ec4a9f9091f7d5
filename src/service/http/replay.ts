import { setImmediate } from "node:timers/promises";
import { AbortedError } from "../../errors/index.js";
import type { Cost, RequestContext } from "./requester.js";

/**
 * Gives an answer that was kept, as if it came from the service: it counts with what it has cost then, from the moment when it is
 * asked for.
 *
 * @throws AbortedError where the signal has aborted
 */
export async function replay<T>(
  cost: Cost,
  context: RequestContext | undefined,
  read: () => T | Promise<T>,
): Promise<T> {
  context?.onReplay?.(cost);
  // Nothing here waits for a network: whoever wants to interrupt gets a turn.
  await setImmediate();
  if (context?.signal?.aborted) throw new AbortedError(undefined, context.signal.reason);
  return read();
}
