import { SourceMap } from "node:module";
import type { CellMaps } from "../converter/converter.js";

/** A position in a cell; all numbers start at 1. */
interface CellPosition {
  readonly cell: number;
  readonly line: number;
  readonly column: number;
}

interface Run {
  readonly cell: number;
  readonly maps: CellMaps | undefined;
  readonly lines: readonly string[];
  /** Parsed once per run: a text may contain thousands of positions. */
  parsed?: { readonly fromCommonJs: SourceMap; readonly fromTypeScript: SourceMap };
}

const POSITION = /notebook-cell-(\d+):(\d+)(?::(\d+))?/;

/** tslab prepends one line to the code of a cell. */
const LINES_BEFORE = 1;

/** Runs whose source maps are kept: an error in a function of an older one shows no line. */
const MAX_RUNS = 500;

/** The file name under which V8 runs a cell. */
export function cellFile(run: number): string {
  return `notebook-cell-${run}`;
}

/** Maps positions in executed code back to the cells as typed. */
export class CellPositions {
  readonly #runs = new Map<number, Run>();

  /** @param run unique per run, unlike `cell`: silent runs share the number of a cell */
  add(run: number, cell: number, code: string, maps: CellMaps | undefined): void {
    this.#runs.set(run, { cell, maps, lines: code.split(/\r?\n/) });
    this.#runs.delete(run - MAX_RUNS);
  }

  /**
   * Replaces positions in executed code by positions in cells.
   *
   * @example
   * positions.toCellPositions("at f (notebook-cell-3:7:9)"); //=> "at f (cell 3:2:11)"
   */
  toCellPositions(text: string): string {
    if (!text.includes(cellFile(0).slice(0, -1))) return text;
    return text.replace(new RegExp(POSITION, "g"), (position) => {
      const { cell, line, column } = this.first(position) as CellPosition;
      return `cell ${cell}:${line}:${column}`;
    });
  }

  /** The run that a stack leads back to: of the outermost function in a cell. */
  outermostRun(stack: string): number | undefined {
    const run = [...stack.matchAll(new RegExp(POSITION, "g"))].at(-1)?.[1];
    return run === undefined ? undefined : Number(run);
  }

  /** The first position in executed code that a text contains, as a position in a cell, with the source line. */
  first(text: string): (CellPosition & { readonly text: string | undefined }) | undefined {
    const [, run, line, column = "1"] = POSITION.exec(text) ?? [];
    if (run === undefined) return undefined;
    const position = this.#position(Number(run), Number(line), Number(column));
    return { ...position, text: this.#runs.get(Number(run))?.lines[position.line - 1] };
  }

  #position(number: number, line: number, column: number): CellPosition {
    const run = this.#runs.get(number);
    const { cell = 0, maps } = run ?? {};
    if (run === undefined || maps === undefined) return { cell, line, column };
    run.parsed ??= {
      fromCommonJs: new SourceMap(JSON.parse(maps.fromCommonJs)),
      fromTypeScript: new SourceMap(JSON.parse(maps.fromTypeScript)),
    };
    const typescript = original(run.parsed.fromCommonJs, line - 1, column - 1);
    const typed = typescript && original(run.parsed.fromTypeScript, typescript.line, typescript.column);
    if (typed === undefined) return { cell, line, column };
    return { cell, line: typed.line + 1 - LINES_BEFORE, column: typed.column + 1 };
  }
}

function original(map: SourceMap, line: number, column: number): { line: number; column: number } | undefined {
  const entry = map.findEntry(line, column);
  if (!("originalLine" in entry) || entry.originalLine === undefined) return undefined;
  // An entry covers the rest of its line.
  const offset = entry.generatedLine === line ? column - entry.generatedColumn : 0;
  return { line: entry.originalLine, column: entry.originalColumn + offset };
}
