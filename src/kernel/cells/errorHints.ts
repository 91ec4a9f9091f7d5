import { nearest } from "../../errors/validators.js";
import { frameShape } from "../completion.js";
import type { Diagnostic } from "../converter/converter.js";
import { isError, TypeScriptError } from "./cellFailure.js";
import type { Variables } from "./evaluator.js";
import {
  FOREIGN_MEMBERS,
  FOREIGN_NAMES,
  FOREIGN_OPTIONS,
  type HintTable,
  MODULES,
  POLARS_HINTS,
  TYPE_HINTS,
} from "./hintTables.js";

/** What {@link errorHints} works with. */
export interface HintContext {
  /** A line of the cell, from 1. */
  line(number: number): string | undefined;
  readonly variables: Variables;
  /** The names that a module exports; empty if it cannot be loaded. */
  exportsOf(module: string): readonly string[];
  /** The options that the object at a position takes. */
  optionsAt(line: number, column: number): Promise<readonly string[]>;
  /** The last cell that declares a name but was rejected by TypeScript. */
  rejectedCell(name: string): number | undefined;
}

/** Longer messages are not searched to their end. */
const MAX_MESSAGE = 5000;

/** Number of hints shown. */
const MAX_HINTS = 3;

/** Longer lists of names do not help. */
const MAX_LISTED = 40;

/** Advice for frequent mistakes, mostly of users who come from Python: what to type instead. */
export async function errorHints(thrown: unknown, context: HintContext): Promise<string[]> {
  const hints =
    thrown instanceof TypeScriptError
      ? await Promise.all(thrown.diagnostics.slice(0, 2 * MAX_HINTS).map((each) => typeHint(each, context)))
      : [isError(thrown) ? thrownHint(String(thrown.message).slice(0, MAX_MESSAGE), context) : undefined];
  return [...new Set(hints)].filter((hint) => hint !== undefined).slice(0, MAX_HINTS);
}

async function typeHint(diagnostic: Diagnostic, context: HintContext): Promise<string | undefined> {
  const { message, line, column, file } = diagnostic;
  const source = file === undefined ? (context.line(line) ?? "") : "";
  const [, name] = /^Cannot find name '([\w$]+)'/.exec(message) ?? [];
  if (name !== undefined) return missingName(name, source.slice(column - 1), context);
  const [, module, member] = /^Module '"([^"\n]+)"' has no exported member '([\w$]+)'/.exec(message) ?? [];
  if (module !== undefined && member !== undefined) return missingExport(module, member, context);
  const found = firstOf(TYPE_HINTS, message);
  if (found !== undefined) return found;
  const [, option] =
    /^Object literal may only specify known properties, and '([\w$]+)' does not exist in type '\w+(?:Options|Arguments|Parameters)\b/.exec(
      message,
    ) ?? [];
  if (option !== undefined) return optionHint(option, await context.optionsAt(line, column));
  const [, property] =
    /^Property '([\w$]+)' does not exist on type '(?:\w*Frame|\w*GroupBy|Expr|Series)\b/.exec(message) ?? [];
  if (property !== undefined) return memberHint(property, source.slice(0, column - 1), context);
  if (/^Expected 1 arguments, but got 0/.test(message) && source.includes("pl.count()")) {
    return "Count rows with pl.len(), the values of a column with pl.count(name).";
  }
  return undefined;
}

function memberHint(property: string, before: string, { variables }: HintContext): string | undefined {
  const [, receiver = ""] = /([\w$]{1,100})\.$/.exec(before) ?? [];
  const columns = frameShape(variables[receiver])?.columns ?? [];
  if (columns.some(([column]) => column === property)) return `It is a column: ${receiver}.getColumn("${property}").`;
  return FOREIGN_MEMBERS.get(property);
}

function optionHint(option: string, options: readonly string[]): string | undefined {
  if (options.includes(option)) return undefined;
  if (options.length === 0)
    return `There is no option ${option}. Press Shift-Tab after the name of the method to list its options.`;
  const foreign = FOREIGN_OPTIONS.find(([name, names]) => options.includes(name) && names.split(" ").includes(option));
  const meant = foreign?.[0] ?? nearest(option, options);
  const list = `The options are ${options.slice(0, MAX_LISTED).join(", ")}.`;
  return meant === undefined ? `There is no option ${option}. ${list}` : `Did you mean ${meant}? ${list}`;
}

function missingExport(module: string, name: string, { exportsOf }: HintContext): string | undefined {
  const other = MODULES.find((each) => exportsOf(each).includes(name));
  if (other !== undefined) return `It is in another module: import { ${name} } from "${other}";`;
  const names = MODULES.some((each) => each === module) ? exportsOf(module) : [];
  return names.length === 0 ? undefined : `It exports ${[...names].sort().slice(0, MAX_LISTED).join(", ")}.`;
}

function missingName(name: string, code: string, { exportsOf, rejectedCell }: HintContext): string | undefined {
  if (/^[\w$]+\s*=[^=>]/.test(code)) return `TypeScript has no named arguments. Pass an object: { ${name}: … }.`;
  const foreign = FOREIGN_NAMES.get(name);
  if (foreign !== undefined) return foreign;
  const module = MODULES.find((each) => exportsOf(each).includes(name));
  if (module !== undefined) return `It needs an import: import { ${name} } from "${module}";`;
  const cell = rejectedCell(name);
  return cell === undefined
    ? undefined
    : `Cell ${cell} declares ${name}, but none of it ran, because TypeScript found errors in it.`;
}

function thrownHint(message: string, { variables }: HintContext): string | undefined {
  const [, method] = /\.([\w$]{1,100}) is not a function$/.exec(message) ?? [];
  if (method !== undefined) return FOREIGN_MEMBERS.get(method);
  const [, selected] = /^not found: "([^"\n]{1,200})" not found/.exec(message) ?? [];
  if (selected !== undefined) return missingColumn(selected, variables);
  const [, name, list = ""] =
    /unable to find column "([^"\n]{1,200})"; valid columns: \[([^\]\n]{0,20000})\]/.exec(message) ?? [];
  if (name === undefined) return firstOf(POLARS_HINTS, message);
  const columns = [...list.matchAll(/"([^"]*)"/g)].map(([, column = ""]) => column);
  const value = `A plain string is a column name. If it is a value, write pl.lit(${JSON.stringify(name)}).`;
  return `${didYouMean(name, columns)}${value}`;
}

/** polars does not say which frame lacks the column. */
function missingColumn(name: string, variables: Variables): string {
  const columns = Object.values(variables).flatMap(
    (value) => frameShape(value)?.columns.map(([column]) => column) ?? [],
  );
  if (columns.includes(name)) {
    return `One of the frames has no column ${JSON.stringify(name)}: see frame.columns. To join columns of different names, write { leftOn: ${JSON.stringify(name)}, rightOn: "id" }.`;
  }
  return `${didYouMean(name, columns)}The names of the columns are in frame.columns.`;
}

function didYouMean(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return meant === undefined ? "" : `Did you mean ${JSON.stringify(meant)}? `;
}

function firstOf(hints: HintTable, message: string): string | undefined {
  return hints.find(([pattern]) => pattern.test(message))?.[1];
}

/** Number of names remembered. */
const MAX_NAMES = 1000;

const DECLARATION = /\b(?:const|let|var|function|class)\s+([\w$]+)/g;

const IMPORTED = /\bimport\s*\{([^{}]{0,2000})\}/g;

/** The names that cells declare which TypeScript rejected: nothing of such a cell runs, not even its imports. */
export class RejectedCells {
  readonly #cells = new Map<string, number>();

  add(cell: number, code: string): void {
    const names = [...code.matchAll(DECLARATION)].map(([, name = ""]) => name);
    for (const [, list = ""] of code.matchAll(IMPORTED)) names.push(...list.split(",").map((each) => each.trim()));
    for (const name of names) {
      if (this.#cells.size < MAX_NAMES || this.#cells.has(name)) this.#cells.set(name, cell);
    }
  }

  /** The last rejected cell that declares a name. */
  cellOf(name: string): number | undefined {
    return this.#cells.get(name);
  }
}
