import { type ColumnCompletion, completeColumn } from "./cells/frameColumns.js";
import type { Variables } from "./cells/variables.js";
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
