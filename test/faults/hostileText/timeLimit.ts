import vm from "node:vm";

/** The promise is one second per megabyte; a busy machine is given several times as long. */
const SECONDS_PER_MEGABYTE = 4;

const call = new vm.Script("run()");
const context: { run?: () => unknown } = {};
vm.createContext(context);

/** So many times as long as its own time may something take on a machine that is busy with something else. */
const BUSY = 8;

/**
 * Runs something on hostile text, and stops it where it takes too long. What counts is the time of the processor.
 *
 * @returns whether it was fast enough; what it throws is no matter here
 */
export function isFastEnough(run: () => unknown, characters: number): boolean {
  const limit = Math.max(300, Math.ceil((characters / 1e6) * SECONDS_PER_MEGABYTE * 1000));
  // Three attempts: collecting the garbage of others counts too.
  return [1, 2, 3].some(() => {
    const before = process.cpuUsage();
    const ended = endsWithin(BUSY * limit, run);
    const { user, system } = process.cpuUsage(before);
    return ended && (user + system) / 1000 <= limit;
  });
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
