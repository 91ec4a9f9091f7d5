import { setImmediate } from "node:timers/promises";
import { AbortedError } from "../../errors/index.js";
import type { Cost, RequestContext } from "./requester.js";

/**
 * Replays a recorded response as if the service had sent it, at the cost it had when it was recorded.
 *
 * @throws AbortedError if the signal has aborted
 */
export async function replay<T>(
  cost: Cost,
  context: RequestContext | undefined,
  read: () => T | Promise<T>,
): Promise<T> {
  context?.onReplay?.(cost);
  // Without a network to wait for, yield to the event loop, so that signals can fire.
  await setImmediate();
  if (context?.signal?.aborted) throw new AbortedError(undefined, context.signal.reason);
  return read();
}
