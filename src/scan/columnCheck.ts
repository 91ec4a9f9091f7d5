import { ValidationError } from "../errors/index.js";
import type { PolarsFrame } from "../frames/polars.js";
import { escaped, quoted, quotedList } from "../util/quoted.js";
import type { Verb } from "./verbs.js";

/**
 * Runs the verbs of a scan on a frame without rows, to find wrong names and types early.
 *
 * Before any request that frame has the declared columns. A verb that cannot run on them is refused, and an undeclared name
 * is left for the second check: on the columns of the first page, where an unknown name is refused too.
 *
 * @param isOpen the service may still send further columns
 * @returns false if a name has to be checked again on the first page
 * @throws ValidationError for a verb that cannot run
 */
export function checkColumns(verbs: readonly Verb[], rows: PolarsFrame, isOpen: boolean): boolean {
  let lazy = rows.lazy();
  let columns = rows.columns;
  let isClosed = false;
  const removed = new Set<string>();
  const [streamed, gathered] = splitAtGather(verbs);
  for (const verb of verbs) {
    if (verb.needs === undefined) return true;
    const known = new Set(columns);
    const missing = verb.needs.find((name) => !known.has(name));
    if (missing !== undefined) {
      if (isOpen && !isClosed && !removed.has(missing)) return false;
      throw unknownColumn(verb, missing, columns, removed.has(missing) || isClosed);
    }
    try {
      lazy = verb.apply(lazy);
      columns = lazy.columns;
      // polars compares types only when it runs a plan.
      if (isOpen && verb === streamed.at(-1)) lazy.collectSync();
      if (isOpen && verb === gathered.at(-1)) lazy.describeOptimizedPlan();
    } catch (cause) {
      // An expression that polars cannot serialize does not tell which columns it needs.
      const isName = /not found|unable to find column/.test((cause as Error).message);
      if (isName && isOpen && !isClosed) return false;
      // The types of undeclared columns may still change.
      if (isName || isOpen) throw cannotRun(cause);
      return true;
    }
    if (verb.closes) isClosed = true;
    for (const name of verb.removes ?? []) removed.add(name);
  }
  return true;
}

function splitAtGather(verbs: readonly Verb[]): [streamed: Verb[], gathered: Verb[]] {
  const at = verbs.findIndex(({ kind }) => kind === "gather");
  return at < 0 ? [[...verbs], []] : [verbs.slice(0, at), verbs.slice(at)];
}

/**
 * Runs something in polars.
 *
 * @throws ValidationError with the message of polars, whose errors here are faults of the plan
 */
export function runPolars<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw cannotRun(cause);
  }
}

function cannotRun(cause: unknown): ValidationError {
  return new ValidationError(`the scan cannot run: ${escaped((cause as Error).message.split("\n")[0] ?? "", 300)}.`, {
    hint: "Check the plan with explain(), and the columns with head(5).collect().",
    cause,
  });
}

/** @param isRemoved an earlier verb has removed the column */
function unknownColumn(verb: Verb, name: string, columns: readonly string[], isRemoved: boolean): ValidationError {
  const late = isRemoved ? "" : " For a column that first appears on a later page, use pipe((lazy) => …).";
  return new ValidationError(`invalid column in ${escaped(verb.text, 200)}: ${quoted(name)} does not exist.`, {
    hint: `The columns are ${quotedList(columns)}.${late}`,
    parameter: name,
  });
}
