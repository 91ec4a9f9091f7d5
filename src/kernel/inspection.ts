import { frameShape } from "./cells/frameColumns.js";
import type { Variables } from "./cells/variables.js";
import type { Converter } from "./converter/converter.js";

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
  return [`${rows.toLocaleString("en-US")} rows × ${columns.length} columns`, ...lines, ...more].join("\n");
}
