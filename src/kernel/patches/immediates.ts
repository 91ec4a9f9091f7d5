import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import { promisify } from "node:util";

/**
 * Runs the callbacks of `setImmediate` as microtasks: if code were terminated inside one, Node would lose the immediates queued behind it
 * and spin waiting for them.
 */
export function replaceSetImmediate(): void {
  const { setImmediate: original } = timers;
  const replacement = (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
    original(() => queueMicrotask(() => callback(...args)));
  Object.assign(replacement, { [promisify.custom]: promisify(original) });
  Object.assign(timers, { setImmediate: replacement });
  Object.assign(globalThis, { setImmediate: replacement });
  syncBuiltinESMExports();
}
