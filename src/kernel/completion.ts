import { dtypeLabel, shapeText } from "../notebook/display/grid.js";
import type { Variables } from "./cells/evaluator.js";
import type { Candidate, Completion, Converter } from "./converter/converter.js";

/** Front ends show a few dozen. */
const MAX_KINDS = 500;

/** Completes code: columns of frames in scope, names of modules, and what TypeScript knows. Positions count UTF-16 units. */
export async function completion(
  converter: Converter,
  declarations: string,
  variables: Variables,
  code: string,
  position: number,
): Promise<Completion> {
  const columns = completeColumn(code, position, variables);
  if (columns !== undefined && columns.names.length > 0) return fromColumns(columns);
  return converter.call("complete", declarations, withModule(code, position), position);
}

function fromColumns({ start, end, names }: ColumnCompletion): Completion {
  return { start, end, candidates: names.map((text) => ({ text, kind: "column" })) };
}

/** Completes an import whose module is not typed yet: `import { op` becomes an import of this package. */
function withModule(code: string, position: number): string {
  const isOpen = /(?:^|\n)[ \t]*import\s*(?:type\s*)?\{[^}'"\n]*$/.test(code.slice(0, position));
  const rest = code.slice(position);
  return isOpen && !/^[^\n]*\bfrom\b/.test(rest)
    ? `${code.slice(0, position)} } from "archive-frames";${rest.replace(/^[^\n]*/, "")}`
    : code;
}

/** The metadata with which front ends show what a candidate is. */
export function kindMetadata(candidates: readonly Candidate[], start: number, end: number): object {
  const kinds = candidates.slice(0, MAX_KINDS).map(({ text, kind }) => ({ start, end, text, type: kind }));
  return { _jupyter_types_experimental: kinds };
}

/** Number of columns listed. */
const MAX_COLUMNS = 200;

/** Describes the name at a position: a frame by shape and columns, then documentation, then the type. */
export async function inspection(
  converter: Converter,
  declarations: string,
  variables: Variables,
  code: string,
  position: number,
): Promise<string | undefined> {
  const found = await converter.call("inspect", declarations, code, position);
  const frame = frameText(variables, nameAt(code, position));
  const parts = [frame, found?.documentation, found?.signature].filter((part) => part !== undefined && part !== "");
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** The plain name at a position; members of something else do not count. */
function nameAt(code: string, position: number): string | undefined {
  const before = /(?<![\w$.])[\w$]*$/.exec(code.slice(0, position))?.[0];
  const after = /^[\w$]*/.exec(code.slice(position))?.[0] ?? "";
  return before === undefined ? undefined : before + after;
}

function frameText(variables: Variables, name: string | undefined): string | undefined {
  const shape = name === undefined ? undefined : frameShape(variables[name]);
  if (shape === undefined) return undefined;
  const { rows, columns } = shape;
  const width = Math.max(0, ...columns.map(([column]) => column.length));
  const lines = columns.slice(0, MAX_COLUMNS).map(([column, type]) => `  ${column.padEnd(width)}  ${type}`);
  const more = columns.length > MAX_COLUMNS ? [`  … and ${columns.length - MAX_COLUMNS} more`] : [];
  return [shapeText(rows, columns.length), ...lines, ...more].join("\n");
}

/** What is known about a frame without looking at its rows. */
export interface FrameShape {
  readonly rows: number;
  /** Names and types. */
  readonly columns: ReadonlyArray<readonly [name: string, type: string]>;
}

/** Methods of frames and expressions whose string arguments name columns. */
const COLUMN_METHODS = new Set(
  "agg col cols corr drop dropDuplicates dropNulls exclude explode filter getColumn groupBy groupByDynamic groupByRolling join melt nth over partitionBy pivot rename replace select sort sortBy sum unique unpivot withColumn withColumns".split(
    " ",
  ),
);

/** Options of these methods that name columns, unlike `how` of a join. */
const COLUMN_OPTIONS = new Set("by columns idVars index leftOn on rightOn subset valueVars values".split(" "));

/** The option to which a string belongs: `on: "` or `on: ["id", "`. */
const OPTION = /(?<![\w$])([\w$]{1,40})\s{0,9}:\s{0,9}(?:\[[^\][{}()]*)?$/;

/** The shape of a value if it is a polars frame, a lazy one excepted. Its getters are those of the cell, so they may throw. */
export function frameShape(value: unknown): FrameShape | undefined {
  try {
    const frame = value as Partial<{ height: number; columns: unknown; dtypes: unknown; getColumn: unknown }> | null;
    if (typeof frame !== "object" || frame === null || typeof frame.getColumn !== "function") return undefined;
    const { height, columns, dtypes } = frame;
    if (typeof height !== "number" || !Array.isArray(columns) || !Array.isArray(dtypes)) return undefined;
    return { rows: height, columns: columns.map((name, at) => [String(name), dtypeLabel(dtypes[at])]) };
  } catch {
    return undefined;
  }
}

/** Completions in a string that names a column: `pl.col("per`, `frame.select("id", "per`. */
interface ColumnCompletion {
  /** Position of the first character after the quote, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly names: readonly string[];
}

/**
 * Completes a column of the frames that the cells have declared: of the frame whose method is called, or of all frames.
 *
 * @returns undefined if the position is not in such a string
 */
function completeColumn(code: string, position: number, variables: Variables): ColumnCompletion | undefined {
  const open = openString(code.slice(0, position));
  if (open === undefined) return undefined;
  const call = enclosingCall(code.slice(0, open));
  if (call === undefined || !COLUMN_METHODS.has(call.method)) return undefined;
  const [, option] = OPTION.exec(code.slice(0, open)) ?? [];
  if (option !== undefined && !COLUMN_OPTIONS.has(option)) return undefined;
  const own = call.receiver === undefined ? undefined : frameShape(variables[call.receiver]);
  const shapes = own === undefined ? Object.values(variables).map(frameShape) : [own];
  const names = new Set(shapes.flatMap((shape) => shape?.columns.map(([name]) => name) ?? []));
  const typed = code.slice(open + 1, position);
  const rest = /^[^"'`\n]*(?=["'`])/.exec(code.slice(position))?.[0] ?? "";
  const matches = [...names].filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  return { start: open + 1, end: position + rest.length, names: matches };
}

/** The position of the quote that opens the string in which a text ends; undefined if it does not end in a string. */
function openString(text: string): number | undefined {
  const line = text.lastIndexOf("\n") + 1;
  let open: number | undefined;
  for (let at = line; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at++;
    else if (open === undefined && `"'\``.includes(character)) open = at;
    else if (open !== undefined && character === text[open]) open = undefined;
  }
  return open;
}

/** Longer argument lists are not searched for their beginning. */
const MAX_ARGUMENTS = 5000;

/** The call in whose arguments a text ends: `frame.select(` has method `select` and receiver `frame`. */
function enclosingCall(text: string): { method: string; receiver: string | undefined } | undefined {
  let depth = 0;
  for (let at = text.length - 1; at >= Math.max(0, text.length - MAX_ARGUMENTS); at--) {
    const character = text.charAt(at);
    if (character === ")") depth++;
    else if (character === "(" && depth-- === 0) {
      const found = /(?:(?<![\w$.)\]])([\w$]+))?\.([\w$]+)$/.exec(text.slice(Math.max(0, at - 200), at));
      return found?.[2] === undefined ? undefined : { method: found[2], receiver: found[1] };
    }
  }
  return undefined;
}
