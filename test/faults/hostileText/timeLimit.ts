import vm from "node:vm";
import { expect } from "vitest";
import { FAST, LINEAR, ratio } from "../../growth.js";

/** Milliseconds after which work counts as hanging: many times what the slowest needs on a busy machine. */
const WATCHDOG = 60_000;
/** Attempts: garbage of earlier tests may be collected during a run. */
const ATTEMPTS = 3;

const call = new vm.Script("run()");
const context: { run?: () => unknown } = {};
vm.createContext(context);

/** Runs some work for at most so many milliseconds; returns whether it finished or threw in time. */
export function endsWithin(milliseconds: number, run: () => unknown): boolean {
  context.run = run;
  try {
    call.runInContext(context, { timeout: milliseconds });
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT";
  }
}

/** CPU time of some work in milliseconds; infinite if it hangs. */
function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  if (!endsWithin(WATCHDOG, work)) return Number.POSITIVE_INFINITY;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Runs the work on each text, which must be fast or take linear time; `textsOf` generates the same texts in any size. */
export function expectLinear(
  work: (text: string) => unknown,
  textsOf: (size: number) => readonly string[],
  size: number,
): void {
  const quarters = textsOf(size / 4);
  textsOf(size).forEach((text, at) => {
    const quarter = quarters[at] ?? text.slice(0, text.length / 4);
    let growth = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && growth >= LINEAR; attempt++) {
      const time = processorTime(() => work(text));
      if (time === Number.POSITIVE_INFINITY) break;
      growth =
        time <= FAST
          ? 0
          : ratio(
              time,
              processorTime(() => work(quarter)),
            );
    }
    const message = `growth on ${JSON.stringify(text.slice(0, 60))}… of ${text.length} characters`;
    expect(growth, message).toBeLessThan(LINEAR);
  });
}
