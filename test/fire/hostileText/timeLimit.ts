import vm from "node:vm";

/** The promise is one second per megabyte; a busy machine is given several times as long. */
const SECONDS_PER_MEGABYTE = 4;

const call = new vm.Script("run()");
const context: { run?: () => unknown } = {};
vm.createContext(context);

/**
 * Runs something on hostile text, and stops it where it takes too long. Tried again before it counts as too slow: the
 * machine may have been busy with something else.
 *
 * @returns whether it was fast enough; what it throws is no matter here
 */
export function isFastEnough(run: () => unknown, characters: number): boolean {
  const timeout = Math.max(300, Math.ceil((characters / 1e6) * SECONDS_PER_MEGABYTE * 1000));
  return [1, 2, 3].some(() => endsWithin(timeout, run));
}

/** Runs something for so many milliseconds at most; says whether it came to its end or threw. */
export function endsWithin(milliseconds: number, run: () => unknown): boolean {
  context.run = run;
  try {
    call.runInContext(context, { timeout: milliseconds });
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT";
  }
}
