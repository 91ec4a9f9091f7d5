import { ValidationError } from "../errors/index.js";
import {
  abortSignal,
  checkedOptions,
  invalid,
  nearest,
  nonEmptyString,
  nonNegativeInteger,
  show,
} from "../errors/validators.js";
import { type Engine, engineOf } from "../frames/engine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { RequestBudget } from "../service/http/requestBudget.js";
import { operations } from "../service/operations/operations.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { quotedList } from "../util/quoted.js";
import { type IdColumn, idColumn } from "./idColumn.js";
import type { LookupOptions } from "./lookupOptions.js";
import type { LookupName } from "./rowLookup.js";

/** What differs between people and programs. */
export const JOINS = {
  person: { method: "withPeople", noun: ["person", "people"] },
  program: { method: "withPrograms", noun: ["program", "programs"] },
} as const satisfies Record<LookupName, object>;

const OPTIONS: readonly string[] = ["on", "columns", "prefix", "maxRequests", "signal"];

/** A join after checking. */
export interface Join {
  readonly operation: LookupName;
  readonly frame: PolarsFrame | DanfoFrame;
  readonly engine: Engine;
  readonly on: string;
  readonly column: IdColumn;
  readonly columns: readonly string[] | undefined;
  readonly prefix: string;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Checks the arguments of a join.
 *
 * @throws ValidationError
 */
export function checkJoin(operation: LookupName, frame: unknown, given: LookupOptions | undefined): Join {
  const { method } = JOINS[operation];
  const engine = engineOf(frame);
  if (engine === undefined)
    throw invalid(
      "frame",
      frame,
      `Give a polars or a danfo frame, for example ${method}(await archive.mentions("climate")).`,
    );
  const options = checkedOptions(given, OPTIONS, `option of ${method}`);
  const on = options.on === undefined ? `${operation}id` : nonEmptyString("on", options.on, `${operation}id`);
  const prefix = options.prefix ?? `${operation}_`;
  if (typeof prefix !== "string")
    throw invalid("prefix", prefix, `Give a string, for example prefix: "${operation}_".`);
  const { maxRequests, signal } = options;
  const declared = Object.keys(operations[operation].columns);
  const columns = options.columns === undefined ? undefined : checkColumns(options.columns, declared);
  const checked = frame as PolarsFrame | DanfoFrame;
  const names = new Set(checked.columns as readonly string[]);
  const taken = (columns ?? declared.filter((name) => name !== "id")).filter((name) => names.has(`${prefix}${name}`));
  if (taken.length > 0) {
    const [first] = taken;
    throw new ValidationError(`invalid frame: it already has ${quotedList(taken.map((name) => `${prefix}${name}`))}.`, {
      hint: `Drop them, for example frame.drop("${prefix}${first}"), or give another prefix, for example prefix: "${operation}2_".`,
      parameter: "frame",
    });
  }
  return {
    operation,
    frame: checked,
    engine,
    on,
    column: idColumn(checked, on),
    columns,
    prefix,
    budget:
      maxRequests === undefined ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500)),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
  };
}

/** Other members than the declared ones are possible, but a near miss is a mistake. */
function checkColumns(columns: unknown, declared: readonly string[]): readonly string[] {
  const isList = Array.isArray(columns) && columns.length > 0 && columns.every((name) => typeof name === "string");
  if (!isList) throw invalid("columns", columns, `Give a list of names, for example columns: ["${declared[1]}"].`);
  for (const name of columns as string[]) {
    const near = declared.includes(name) ? undefined : nearest(name, declared);
    if (near !== undefined) throw invalid("columns", name, `Did you mean ${show(near)}?`);
  }
  return [...new Set(columns as string[])];
}
