import { ValidationError } from "../errors/index.js";
import { nearest } from "../errors/validators.js";
import type { PolarsFrame } from "../frames/polars.js";
import type { DeclaredColumns } from "../service/operations/operations.js";
import { escaped, quoted, quotedList } from "../util/quoted.js";
import type { Verb } from "./verbs.js";

/**
 * Runs the verbs of a scan on an empty frame, to find wrong names and types early. The first check, before any request, uses the
 * declared columns and leaves undeclared names to the second, which uses the columns of the first page.
 * @param declared the declared columns, for the first check
 * @returns false if a name must be checked again on the first page
 */
export function checkVerbs(verbs: readonly Verb[], rows: PolarsFrame, declared?: DeclaredColumns): boolean {
  let lazy = rows.lazy();
  let { columns } = rows;
  const lastStreamed = verbs.slice(0, firstGather(verbs)).at(-1);
  for (const verb of verbs) {
    if (verb.needs === undefined) return true;
    const missing = verb.needs.find((name) => !columns.includes(name));
    if (missing !== undefined) {
      if (declared !== undefined && !Object.hasOwn(declared, missing)) return false;
      throw unknownColumn(verb, missing, columns);
    }
    try {
      lazy = verb.apply(lazy);
      columns = lazy.columns;
      // polars compares types only when it runs a plan.
      if (declared !== undefined && verb === lastStreamed) lazy.collectSync();
      if (declared !== undefined && verb === verbs.at(-1)) lazy.describeOptimizedPlan();
    } catch (cause) {
      // If polars cannot serialize an expression, we do not know which columns it needs.
      const isName = /not found|unable to find column/.test((cause as Error).message);
      if (isName && declared !== undefined) return false;
      // The types of undeclared columns may still change.
      if (isName || declared !== undefined) throw cannotRun(cause);
      return true;
    }
  }
  return true;
}

/** The index of the first verb that needs all rows; their number if there is none. */
export function firstGather(verbs: readonly Verb[]): number {
  const at = verbs.findIndex(({ kind }) => kind === "gather");
  return at < 0 ? verbs.length : at;
}

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

function unknownColumn(verb: Verb, name: string, columns: readonly string[]): ValidationError {
  const near = nearest(name, columns);
  return new ValidationError(`invalid column in ${escaped(verb.text, 200)}: ${quoted(name)} does not exist.`, {
    hint: `${near === undefined ? "" : `Did you mean ${quoted(near)}? `}The columns are ${quotedList(columns)}. For a column that first appears on a later page, use pipe((lazy) => …).`,
    parameter: name,
  });
}
