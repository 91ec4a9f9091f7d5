import { type Context, createContext, Script } from "node:vm";

const script = new Script("run()");
let context: (Context & { run?: () => void }) | undefined;

/**
 * Runs a function and stops it after a time. Only `node:vm` can stop a regular expression that backtracks forever.
 *
 * @param milliseconds how long it may take
 * @returns whether it ended in time
 */
export function boundedRun(milliseconds: number, run: () => void): boolean {
  context ??= createContext({});
  const before = context.run;
  context.run = run;
  try {
    script.runInContext(context, { timeout: Math.ceil(milliseconds) });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    context.run = before;
  }
}
