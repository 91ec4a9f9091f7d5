import { noteOfFrame } from "../notebook/display/caption.js";
import { dtypeLabel, shapeText } from "../notebook/display/frameGrid.js";
import type { CellRunner } from "./cells/cellRunner.js";
import type { Variables } from "./cells/evaluator.js";
import { PYTHON_MEMBERS } from "./cells/hints.js";
import type { Completion, Converter } from "./converter/converter.js";

/** The cells so far: the text of their declarations, and the values of these. */
export type Cells = Pick<CellRunner, "declarations" | "variables">;

/** Completes code: columns of frames in scope, exports of this package, and what TypeScript knows. Positions count UTF-16 units. */
export async function completion(
  converter: Converter,
  { declarations, variables }: Cells,
  code: string,
  position: number,
): Promise<Completion> {
  const columns = completeColumn(code, position, variables);
  if (columns !== undefined) return columns;
  const found = await converter.call("complete", declarations, withModule(code, position), position);
  return completePython(code, position, variables, found) ?? found;
}

/** Completes the Python name of a method of a frame to the TypeScript for it, unless the frame has a member of that name. */
function completePython(
  code: string,
  position: number,
  variables: Variables,
  { candidates }: Completion,
): Completion | undefined {
  const [typed = "", receiver = "", name = ""] = /(?<![\w$.])([\w$]+)\.(\w+)$/.exec(code.slice(0, position)) ?? [];
  if (frameLike(variables[receiver]) === undefined || candidates.some((each) => each.startsWith(name)))
    return undefined;
  const found = [...PYTHON_MEMBERS].filter(([each]) => each.startsWith(name));
  const texts = found.map(([, code]) => code.replace(/\bframe\b/, () => receiver));
  const start = position - typed.length;
  return texts.length === 0 ? undefined : { start, end: position, candidates: [...new Set(texts)] };
}

/** Completes an import whose module is not typed yet: `import { op` becomes an import of this package. */
function withModule(code: string, position: number): string {
  const isOpen = /(?:^|\n)[ \t]*import\s*(?:type\s*)?\{[^}'"\n]*$/.test(code.slice(0, position));
  const rest = code.slice(position);
  return isOpen && !/^[^\n]*\bfrom\b/.test(rest)
    ? `${code.slice(0, position)} } from "archive-frames";${rest.replace(/^[^\n]*/, "")}`
    : code;
}

/** Describes the name at a position: a frame by shape and columns, then documentation, then the type. */
export async function inspection(
  converter: Converter,
  { declarations, variables }: Cells,
  code: string,
  position: number,
): Promise<string | undefined> {
  const found = await converter.call("inspect", declarations, code, position);
  const before = /(?<![\w$.])[\w$]*$/.exec(code.slice(0, position))?.[0];
  const after = /^[\w$]*/.exec(code.slice(position))?.[0] ?? "";
  const frame = before === undefined ? undefined : frameText(variables[before + after]);
  const parts = [frame, found].filter((part) => part);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

const MAX_COLUMNS = 200;

/** Shape, columns, dtypes and origin of a frame; undefined for any other value. */
function frameText(value: unknown): string | undefined {
  const frame = frameLike(value);
  if (frame === undefined) return undefined;
  const { height, columns, dtypes } = frame;
  const width = Math.max(0, ...columns.map((name) => name.length));
  const lines = columns.slice(0, MAX_COLUMNS).map((name, at) => `  ${name.padEnd(width)}  ${dtypeLabel(dtypes[at])}`);
  const more = columns.length > MAX_COLUMNS ? [`  … and ${columns.length - MAX_COLUMNS} more`] : [];
  const note = noteOfFrame(value, height);
  const source = note === undefined ? [] : [note.text, ...note.lines.map((line) => `  ${line}`)];
  return [shapeText(height, columns.length), ...lines, ...more, ...source].join("\n");
}

interface FrameLike {
  readonly height: number;
  readonly columns: readonly string[];
  readonly dtypes: ReadonlyArray<Parameters<typeof dtypeLabel>[0]>;
}

/** The value if it is a polars frame and not lazy. The getters of other values may throw. */
function frameLike(value: unknown): FrameLike | undefined {
  try {
    const { getColumn, height, columns, dtypes } = (value ?? {}) as Partial<FrameLike> & { getColumn?: unknown };
    const isFrame = typeof getColumn === "function" && Array.isArray(columns) && Array.isArray(dtypes);
    return isFrame && typeof height === "number" ? { height, columns: columns.map(String), dtypes } : undefined;
  } catch {
    return undefined;
  }
}

/** Methods of frames and expressions whose string arguments name columns. */
const COLUMN_METHODS = new Set(
  "agg col cols corr drop dropDuplicates dropNulls exclude explode filter getColumn groupBy groupByDynamic groupByRolling join melt nth over partitionBy pivot rename replace select sort sortBy sum unique unpivot withColumn withColumns".split(
    " ",
  ),
);

/** Options of these methods that name no columns. */
const OTHER_OPTION = /\b(?:how|suffix|keep|every|closed|aggregateFunc)\s{0,9}:\s{0,9}$/;

/** Longer argument lists are not searched for their beginning. */
const MAX_ARGUMENTS = 2000;

/**
 * Completes a column in a string, as in `frame.select("id", "per`: of the frame whose method is called, or of all frames that the
 * cells have declared.
 *
 * @returns undefined if the position is not in such a string, or no column matches
 */
function completeColumn(code: string, position: number, variables: Variables): Completion | undefined {
  const [typed = ""] = /(?<![^"'`\n])[^"'`\n]*$/.exec(code.slice(0, position)) ?? [];
  const start = position - typed.length;
  const before = code.slice(Math.max(0, start - MAX_ARGUMENTS), start - 1);
  if (!/["'`]/.test(code.charAt(start - 1)) || isInString(before) || OTHER_OPTION.test(before)) return undefined;
  const call = openCall(before);
  if (call === undefined || !COLUMN_METHODS.has(call.method)) return undefined;
  const own = frameLike(variables[call.receiver]);
  const frames = own === undefined ? Object.values(variables).map(frameLike) : [own];
  const names = [...new Set(frames.flatMap((frame) => frame?.columns ?? []))];
  const rest = /^[^"'`\n]*(?=["'`])/.exec(code.slice(position))?.[0] ?? "";
  const matches = names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  if (matches.length === 0) return undefined;
  return { start, end: position + rest.length, candidates: matches };
}

function isInString(text: string): boolean {
  const line = text.slice(text.lastIndexOf("\n") + 1).replace(/"[^"]*"|'[^']*'|`[^`]*`/g, "");
  return /["'`]/.test(line);
}

/** The call in whose arguments a text ends: `frame.select(` has the receiver `frame` and the method `select`. */
function openCall(text: string): { receiver: string; method: string } | undefined {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ")") depth++;
    else if (text[at] === "(" && depth-- === 0) {
      const [, receiver = "", method] =
        /(?<![\w$])([\w$]*)\.([\w$]+)$/.exec(text.slice(Math.max(0, at - 200), at)) ?? [];
      return method === undefined ? undefined : { receiver, method };
    }
  }
  return undefined;
}
