import { dtypeLabel, shapeText } from "../notebook/display/frameGrid.js";
import type { CellRunner } from "./cells/cellRunner.js";
import type { Variables } from "./cells/evaluator.js";
import { FRAME_HABITS } from "./cells/habits.js";
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
  const known = await converter.call("complete", declarations, code, position);
  return completeString(code, position, variables, known) ?? completeHabit(code, position, variables, known) ?? known;
}

/** Completes the Python name of a method of a frame to the TypeScript for it, unless the frame has a member of that name. */
function completeHabit(
  code: string,
  position: number,
  variables: Variables,
  { candidates }: Completion,
): Completion | undefined {
  const [typed = "", receiver = "", name = ""] = /(?<![\w$.])([\w$]+)\.(\w+)$/.exec(code.slice(0, position)) ?? [];
  if (frameLike(variables[receiver]) === undefined || candidates.some((each) => each.startsWith(name)))
    return undefined;
  const habits = [...FRAME_HABITS].filter(([each]) => each.startsWith(name));
  const texts = habits.map(([, code]) => code.replace(/\bframe\b/, () => receiver));
  return texts.length === 0
    ? undefined
    : { start: position - typed.length, end: position, candidates: [...new Set(texts)] };
}

/** Describes the name at a position: a frame by shape and columns, then documentation, then the type. */
export async function inspection(
  converter: Converter,
  { declarations, variables }: Cells,
  code: string,
  position: number,
): Promise<string | undefined> {
  const documentation = await converter.call("inspect", declarations, code, position);
  const before = /(?<![\w$.])[\w$]*$/.exec(code.slice(0, position))?.[0];
  const after = /^[\w$]*/.exec(code.slice(position))?.[0] ?? "";
  const frame = before === undefined ? undefined : frameLike(variables[before + after]);
  const parts = [frame && frameText(frame), documentation].filter((part) => part);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

interface FrameLike {
  readonly height: number;
  readonly columns: readonly string[];
  readonly dtypes: ReadonlyArray<Parameters<typeof dtypeLabel>[0]>;
}

const MAX_COLUMNS = 200;

/** Shape, columns and dtypes of a frame. */
function frameText({ height, columns, dtypes }: FrameLike): string {
  const shown = columns.slice(0, MAX_COLUMNS);
  const width = Math.max(0, ...shown.map((name) => name.length));
  const lines = shown.map((name, at) => `  ${name.padEnd(width)}  ${dtypeLabel(dtypes[at])}`);
  return [shapeText(height, columns.length), ...lines].join("\n");
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

/** A string that is open at the cursor: its quote follows a bracket, a comma, a colon or a blank. */
const STRING = /(?<=[[({,:=\s])["'`]([^"'`\n]*)$/;

/** Completes a string: with what TypeScript knows, otherwise with the columns of all frames that the cells have declared. */
function completeString(
  code: string,
  position: number,
  variables: Variables,
  { candidates }: Completion,
): Completion | undefined {
  const [, typed] = STRING.exec(code.slice(0, position)) ?? [];
  if (typed === undefined) return undefined;
  const names = Object.values(variables).flatMap((value) => frameLike(value)?.columns ?? []);
  const columns = [...new Set(names)].filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  const rest = /^[^"'`\n]*(?=["'`])/.exec(code.slice(position))?.[0] ?? "";
  const range = { start: position - typed.length, end: position + rest.length };
  return { ...range, candidates: candidates.length > 0 ? candidates : columns };
}
