import { ValidationError } from "../errors/index.js";
import type { PolarsFrame } from "../frames/polars.js";
import { escaped, quoted, quotedList } from "../util/quoted.js";
import type { Step } from "./step.js";

/**
 * Follows the columns through the verbs of a scan, on a frame without rows.
 *
 * Before anything is requested that is the frame of the declared columns: a verb that they cannot satisfy is refused, and a
 * name that is not declared is left for the first page. After the first page it is the frame of its columns: a name that is
 * not there either is refused.
 *
 * @param isOpen the service may send further columns
 * @returns true where every verb was followed, or may do what it likes
 * @throws ValidationError for a verb that cannot run
 */
export function checkColumns(steps: readonly Step[], rows: PolarsFrame, isOpen: boolean): boolean {
  let lazy = rows.lazy();
  let columns = rows.columns;
  let isClosed = false;
  const removed = new Set<string>();
  const [rowWise, others] = split(steps);
  for (const step of steps) {
    if (step.needs === undefined) return true;
    const known = new Set(columns);
    const missing = step.needs.find((name) => !known.has(name));
    if (missing !== undefined) {
      if (isOpen && !isClosed && !removed.has(missing)) return false;
      throw unknownColumn(step, missing, columns, removed.has(missing) || isClosed);
    }
    if (step.closes) isClosed = true;
    for (const name of step.removes ?? []) removed.add(name);
    try {
      lazy = step.apply(lazy);
      columns = lazy.columns;
      // polars compares types only when it runs.
      if (isOpen && step === rowWise.at(-1)) lazy.collectSync();
      if (isOpen && step === others.at(-1)) lazy.describeOptimizedPlan();
    } catch (cause) {
      // An expression that polars cannot serialize does not say which columns it needs.
      const isName = /not found|unable to find column/.test((cause as Error).message);
      if (isName && isOpen && !isClosed) return false;
      // The types of columns that are not declared may still change.
      if (isName || isOpen) throw cannotRun(cause);
      return true;
    }
  }
  return true;
}

/** The verbs that run row by row, and all after them. */
function split(steps: readonly Step[]): [Step[], Step[]] {
  const at = steps.findIndex(({ kind }) => kind === "gather");
  return at < 0 ? [[...steps], []] : [steps.slice(0, at), steps.slice(at)];
}

/**
 * Runs polars.
 *
 * @throws ValidationError for what polars refuses: that is a fault of the plan
 */
export function refused<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw cannotRun(cause);
  }
}

function cannotRun(cause: unknown): ValidationError {
  return new ValidationError(`the scan cannot run: ${escaped((cause as Error).message.split("\n")[0] ?? "", 300)}.`, {
    hint: "Look at the plan with explain(), and at the columns with head(5).collect().",
    cause,
  });
}

/** @param isGone an earlier verb has left it out */
function unknownColumn(step: Step, name: string, columns: readonly string[], isGone: boolean): ValidationError {
  const late = isGone ? "" : " One that first comes on a later page can be used in pipe((lazy) => …).";
  return new ValidationError(`invalid column in ${escaped(step.text, 200)}: ${quoted(name)} is not there.`, {
    hint: `The columns are ${quotedList(columns)}.${late}`,
    parameter: name,
  });
}
