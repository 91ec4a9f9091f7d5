import { SourceMap } from "node:module";

/** In source maps, lines and columns start at 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** A position in a cell; all numbers start at 1. */
interface CellPosition extends Position {
  readonly cell: number;
  /** The line of the cell. */
  readonly text: string | undefined;
}

interface Run {
  readonly cell: number;
  readonly lines: readonly string[];
  readonly output: string;
  /** The source maps at the end of its output. Parsed once per run: a text may contain thousands of positions. */
  maps?: readonly SourceMap[];
}

const POSITION = /notebook-cell-(\d+):(\d+)(?::(\d+))?/;

/** The two source maps of a cell, from JavaScript to CommonJS and from TypeScript to JavaScript. */
const MAPS = /^\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\n\/\/# sourceMappingURL=\S+base64,(\S+)$/m;

/** tslab prepends one line to the code of a cell. */
export const LINES_BEFORE = 1;

/** Runs whose source maps are kept: an error in a function of an older one shows no line. */
const MAX_RUNS = 500;

/** The file name under which V8 runs a cell. */
export function cellFile(run: number): string {
  return `notebook-cell-${run}`;
}

/** Maps positions in executed code back to the cells as typed. */
export class CellPositions {
  readonly #runs = new Map<number, Run>();

  /**
   * @param run unique per run, unlike `cell`: silent runs share the number of a cell
   * @param output the JavaScript of the cell, with its source maps
   */
  add(run: number, cell: number, code: string, output: string): void {
    this.#runs.set(run, { cell, output, lines: code.split(/\r?\n/) });
    this.#runs.delete(run - MAX_RUNS);
  }

  /**
   * Replaces positions in executed code by positions in cells.
   *
   * @example
   * positions.toCellPositions("at f (notebook-cell-3:7:9)"); //=> "at f (cell 3:2:11)"
   */
  toCellPositions(text: string): string {
    return text.replace(new RegExp(POSITION, "g"), (position) => {
      const { cell, line, column } = this.first(position) as CellPosition;
      return `cell ${cell}:${line}:${column}`;
    });
  }

  /** The run that a stack leads back to, of the outermost function in a cell; NaN if there is none. */
  outermostRun(stack: string): number {
    return Number([...stack.matchAll(new RegExp(POSITION, "g"))].at(-1)?.[1]);
  }

  /** The first position in executed code that a text contains, as a position in a cell. */
  first(text: string): CellPosition | undefined {
    const [, number, line, column = "1"] = POSITION.exec(text) ?? [];
    if (number === undefined) return undefined;
    const run: Run = this.#runs.get(Number(number)) ?? { cell: 0, output: "", lines: [] };
    run.maps ??= sourceMaps(run.output);
    const executed = { line: Number(line) - 1, column: Number(column) - 1 };
    const mapped = run.maps.reduce<Position | undefined>(
      (position, map) => position && original(map, position),
      executed,
    );
    const typed =
      mapped === undefined || run.maps.length === 0 ? executed : { ...mapped, line: mapped.line - LINES_BEFORE };
    const { cell, lines } = run;
    return { cell, line: typed.line + 1, column: typed.column + 1, text: lines[typed.line] };
  }
}

function sourceMaps(output: string): SourceMap[] {
  const encoded = MAPS.exec(output)?.slice(1) ?? [];
  return encoded.map((map) => new SourceMap(JSON.parse(Buffer.from(map, "base64").toString())));
}

function original(map: SourceMap, { line, column }: Position): Position | undefined {
  const entry = map.findEntry(line, column);
  if (!("originalLine" in entry) || entry.originalLine === undefined) return undefined;
  // An entry covers the rest of its line.
  const offset = entry.generatedLine === line ? column - entry.generatedColumn : 0;
  return { line: entry.originalLine, column: entry.originalColumn + offset };
}
