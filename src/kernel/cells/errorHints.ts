import { nearest } from "../../errors/validators.js";
import type { Diagnostic } from "../converter/converter.js";
import { isError, TypeScriptError } from "./cellFailure.js";
import { frameShape } from "./frameColumns.js";
import type { Variables } from "./variables.js";

/** What {@link errorHints} works with. */
export interface HintContext {
  /** A line of the cell, from 1. */
  line(number: number): string | undefined;
  readonly variables: Variables;
  /** The names that a module exports; empty if it cannot be loaded. */
  exportsOf(module: string): readonly string[];
}

/** Longer messages are not searched to their end. */
const MAX_MESSAGE = 5000;

/** Number of hints shown. */
const MAX_HINTS = 3;

/** Where names come from that users try without an import. */
const MODULES = ["archive-frames", "archive-frames/notebook"] as const;

/** What people type who know Python or R, and what it is called here. */
const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  print: "TypeScript prints with console.log(…). The last expression of a cell is shown by itself.",
  lastHarvest: "It is a method of the client: archive.lastHarvest().",
  harvests: "It is a method of the client: archive.harvests().",
  None: "TypeScript writes null.",
  True: "TypeScript writes true.",
  False: "TypeScript writes false.",
  len: "TypeScript writes rows.length, and a frame has frame.height.",
};

/** TypeScript's messages, and what to type instead. `$1` is the first group. */
const TYPE_HINTS: ReadonlyArray<readonly [message: RegExp, hint: string]> = [
  [
    /types 'Expr' and '\w+' have no overlap/,
    'Compare with methods: pl.col("party").eq(pl.lit("D")), .gt(60), .and(…).',
  ],
  [/Property 'count' does not exist on type '\w*GroupBy'/, "A group counts its rows with .len()."],
  [
    /type 'string' is not assignable to parameter of type 'Expr'/,
    'A text value is pl.lit("text"), a column is pl.col("name").',
  ],
  [
    /'\{ descending: boolean; \}' is not assignable to parameter of type 'boolean'/,
    'Write sort({ by: "name", descending: true }), or sort("name", true).',
  ],
  [/does not exist on type 'Promise</, "Is an `await` missing?"],
  [/^Type '\d+' has no properties in common with type/, "Options are an object, for example { maxItems: 10 }."],
  [
    /'(\w+)' does not exist in type 'Omit<\w+Params/,
    "There is no option $1. Press Shift-Tab after the name of the method to list its options.",
  ],
  [
    /does not exist on type 'string \| number \| bigint \| boolean'/,
    'toRecords() of polars does not know the types of columns. With import { toRecords, type FrameRow } from "archive-frames"; write toRecords<FrameRow<"mentions">>(frame), or name the columns of your own: toRecords<{ year: number; n: number }>(frame).',
  ],
];

/** Messages of polars, and what to type instead. */
const POLARS_HINTS: ReadonlyArray<readonly [message: RegExp, hint: string]> = [
  [
    /comparison between series .{0,300}Datetime\('.s', 'UTC'\).{0,300}Datetime\('ms'\)/s,
    'Columns of timestamps are in microseconds and UTC. Write pl.lit(date).cast(pl.Datetime("us", "UTC")).',
  ],
  [
    /Unknown JS variables cannot be represented/,
    "Frames take expressions, not functions. Filter rows by a function with frame.toRecords().filter(…).",
  ],
];

/** Advice for frequent mistakes, mostly of users who come from Python: what to type instead. */
export function errorHints(thrown: unknown, context: HintContext): string[] {
  const found =
    thrown instanceof TypeScriptError
      ? thrown.diagnostics.map((diagnostic) => typeHint(diagnostic, context))
      : [isError(thrown) ? polarsHint(String(thrown.message).slice(0, MAX_MESSAGE), context) : undefined];
  return [...new Set(found.filter((hint) => hint !== undefined))].slice(0, MAX_HINTS);
}

function typeHint({ message, line, column, file }: Diagnostic, context: HintContext): string | undefined {
  const [, name] = /^Cannot find name '([\w$]+)'/.exec(message) ?? [];
  const source = file === undefined ? (context.line(line) ?? "") : "";
  if (name !== undefined) return missingName(name, source.slice(column - 1), context);
  const [, property] = /^Property '([\w$]+)' does not exist on type '\w*Frame/.exec(message) ?? [];
  if (property !== undefined) {
    const [, receiver = ""] = /([\w$]{1,100})\.$/.exec(source.slice(0, column - 1)) ?? [];
    const columns = frameShape(context.variables[receiver])?.columns ?? [];
    if (columns.some(([column]) => column === property)) return `It is a column: ${receiver}.getColumn("${property}").`;
  }
  return firstOf(TYPE_HINTS, message);
}

function missingName(name: string, code: string, { exportsOf }: HintContext): string | undefined {
  if (/^[\w$]+\s*=[^=>]/.test(code)) return `TypeScript has no named arguments. Pass an object: { ${name}: … }.`;
  if (Object.hasOwn(FOREIGN_NAMES, name)) return FOREIGN_NAMES[name];
  const module = MODULES.find((each) => exportsOf(each).includes(name));
  return module && `It needs an import: import { ${name} } from "${module}";`;
}

function polarsHint(message: string, { variables }: HintContext): string | undefined {
  const [, selected] = /^not found: "([^"\n]{1,200})" not found/.exec(message) ?? [];
  if (selected !== undefined) {
    const shapes = Object.values(variables).map(frameShape);
    const meant = nearest(
      selected,
      shapes.flatMap((shape) => shape?.columns.map(([column]) => column) ?? []),
    );
    return `${meant === undefined ? "" : `Did you mean ${JSON.stringify(meant)}? `}The names of the columns are in frame.columns.`;
  }
  const [, name = "", list = ""] =
    /unable to find column "([^"\n]{1,200})"; valid columns: \[([^\]\n]{0,20000})\]/.exec(message) ?? [];
  if (name === "") return firstOf(POLARS_HINTS, message);
  const columns = [...list.matchAll(/"([^"]*)"/g)].map(([, column = ""]) => column);
  const like = nearest(name, columns);
  const value = `A plain string is a column name. If it is a value, write pl.lit(${JSON.stringify(name)}).`;
  return like === undefined ? value : `Did you mean ${JSON.stringify(like)}? ${value}`;
}

function firstOf(hints: typeof TYPE_HINTS, message: string): string | undefined {
  for (const [pattern, hint] of hints) {
    const found = pattern.exec(message);
    if (found !== null) return hint.replace("$1", found[1] ?? "");
  }
  return undefined;
}
