import type { CellRunner } from "./cells/cellRunner.js";
import type { Variables } from "./cells/evaluator.js";
import { FRAME_HABITS } from "./cells/hints.js";
import type { Completion, Converter } from "./converter/converter.js";

/** The cells so far: the text of their declarations, and the values of these. */
export type Cells = Pick<CellRunner, "declarations" | "variables">;

/** Completes code: what TypeScript knows, otherwise columns of frames or habits of Python. Positions count UTF-16 units. */
export async function completion(
  converter: Converter,
  { declarations, variables }: Cells,
  code: string,
  position: number,
): Promise<Completion> {
  const fromTypeScript = await converter.call("complete", declarations, code, position);
  return (
    completeString(code, position, variables, fromTypeScript) ??
    completeHabit(code, position, variables, fromTypeScript) ??
    fromTypeScript
  );
}

/** Completes the Python name of a method of a frame to the TypeScript for it, unless the frame has a member of that name. */
function completeHabit(
  code: string,
  position: number,
  variables: Variables,
  { candidates }: Completion,
): Completion | undefined {
  const [typed = "", receiver = "", name = ""] = /(?<![\w$.])([\w$]+)\.(\w+)$/.exec(code.slice(0, position)) ?? [];
  if (columnsOf(variables[receiver]) === undefined || candidates.some((each) => each.startsWith(name)))
    return undefined;
  const habits = [...FRAME_HABITS].filter(([each]) => each.startsWith(name));
  const texts = habits.map(([, code]) => code.replace(/\bframe\b/, () => receiver));
  return texts.length === 0
    ? undefined
    : { start: position - typed.length, end: position, candidates: [...new Set(texts)] };
}

/** The columns of a polars frame; undefined for any other value, also for a lazy frame. The getters of other values may throw. */
function columnsOf(value: unknown): string[] | undefined {
  try {
    const { getColumn, columns } = (value ?? {}) as { readonly getColumn?: unknown; readonly columns?: unknown };
    return typeof getColumn === "function" && Array.isArray(columns) ? columns.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** A string that is open at the cursor: its quote follows a bracket, a comma, a colon or a blank. */
const STRING = /(?<=[[({,:=\s])["'`]([^"'`\n]*)$/;

/** Completes a string: with what TypeScript knows, otherwise with the columns of the frames that the code names, or of all. */
function completeString(
  code: string,
  position: number,
  variables: Variables,
  { candidates }: Completion,
): Completion | undefined {
  const [, typed] = STRING.exec(code.slice(0, position)) ?? [];
  if (typed === undefined) return undefined;
  const frames = Object.entries(variables).map(([name, value]) => ({ name, columns: columnsOf(value) ?? [] }));
  const words = new Set(code.slice(0, position).match(/[\w$]+/g));
  const named = frames.filter(({ name, columns }) => columns.length > 0 && words.has(name));
  const names = (named.length > 0 ? named : frames).flatMap(({ columns }) => columns);
  const columns = [...new Set(names)].filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  const rest = /^[^"'`\n]*(?=["'`])/.exec(code.slice(position))?.[0] ?? "";
  const range = { start: position - typed.length, end: position + rest.length };
  return { ...range, candidates: candidates.length > 0 ? candidates : columns };
}
