import vm from "node:vm";
import { expect } from "vitest";
import { FAST, LINEAR, ratio } from "../../growth.js";

/** Milliseconds per megabyte after which a run is stopped: about thirty times what the code needs. */
const WATCHDOG = 32_000;

const call = new vm.Script("run()");
const context: { run?: () => unknown } = {};
vm.createContext(context);

/**
 * Runs `work` on a hostile text and stops it if it hangs.
 *
 * @param text the text
 * @param quarter makes a text of the same kind at a quarter of the size
 * @returns whether the work is fast, or takes time linear in the size of the text; errors it throws are ignored
 */
function isLinear(work: (text: string) => unknown, text: string, quarter: () => string): boolean {
  const limit = Math.max(2400, (text.length / 1e6) * WATCHDOG);
  // Try several times: garbage from earlier tests may be collected during a run.
  return [1, 2, 3].some(() => {
    const time = processorTime(limit, () => work(text));
    if (time <= FAST) return true;
    const small = quarter();
    return (
      ratio(
        time,
        processorTime(limit, () => work(small)),
      ) < LINEAR
    );
  });
}

/** CPU time of some work in milliseconds; infinite if it exceeds the limit. On a busy machine, the work gets more time. */
function processorTime(limit: number, work: () => unknown): number {
  for (let milliseconds = limit; ; milliseconds *= 2) {
    const before = process.cpuUsage();
    const ended = endsWithin(milliseconds, work);
    const { user, system } = process.cpuUsage(before);
    const used = (user + system) / 1000;
    if (ended) return used;
    if (used > limit / 2) return Number.POSITIVE_INFINITY;
  }
}

/** Runs some work for at most so many milliseconds; returns whether it finished or threw in time. */
export function endsWithin(milliseconds: number, run: () => unknown): boolean {
  context.run = run;
  try {
    call.runInContext(context, { timeout: Math.ceil(milliseconds) });
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT";
  }
}

/** Runs the work on each text; `textsOf` generates the same texts in any size. */
export function expectLinear(
  work: (text: string) => unknown,
  textsOf: (size: number) => readonly string[],
  size: number,
): void {
  textsOf(size).forEach((text, at) => {
    const quarter = () => textsOf(size / 4)[at] ?? text.slice(0, text.length / 4);
    const message = `slow on ${JSON.stringify(text.slice(0, 60))}… of ${text.length} characters`;
    expect(isLinear(work, text, quarter), message).toBe(true);
  });
}
