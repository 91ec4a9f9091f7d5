import { SourceMap } from "node:module";
import type { CellMaps } from "../converter/converter.js";

/** A position in a cell; all numbers start at 1. */
interface CellPosition extends Position {
  readonly cell: number;
}

/** A run of a cell. */
interface CellRun {
  /** The execution count of the cell. */
  readonly cell: number;
  /** The code as it was typed. */
  readonly code: string;
  /** Lines that were put before the code, to evaluate it as an expression. */
  readonly linesBefore: number;
  readonly maps: CellMaps | undefined;
}

interface Run extends CellRun {
  readonly lines: readonly string[];
  parsed?: ParsedMaps | undefined;
}

interface ParsedMaps {
  readonly fromCommonJs: SourceMap;
  readonly fromTypeScript: SourceMap;
}

const NO_LINES: Pick<Run, "linesBefore" | "lines"> = { linesBefore: 0, lines: [] };

const POSITION = /notebook-cell-(\d+):(\d+)(?::(\d+))?/;

/** tslab prepends one line to the code of a cell. */
const LINES_BEFORE = 1;

/** The file name under which V8 runs a cell. */
export function cellFile(run: number): string {
  return `notebook-cell-${run}`;
}

/** Maps positions in executed code back to the cells as they were typed. */
export class CellPositions {
  readonly #runs = new Map<number, Run>();

  /** @param run unique per run, unlike `cell`: silent runs share the number of a cell */
  add(run: number, cellRun: CellRun): void {
    this.#runs.set(run, { ...cellRun, lines: cellRun.code.split(/\r?\n/) });
  }

  /**
   * Replaces positions in executed code by positions in cells.
   *
   * @example
   * positions.map("at f (notebook-cell-3:7:9)"); //=> "at f (cell 3:2:11)"
   */
  toCellPositions(text: string): string {
    if (!text.includes(cellFile(0).slice(0, -1))) return text;
    return text.replace(new RegExp(POSITION, "g"), (position) => {
      const { cell, line, column } = this.first(position) as CellPosition;
      return `cell ${cell}:${line}:${column}`;
    });
  }

  /** The first position in executed code that a text contains, as a position in a cell, with the source line. */
  first(text: string): (CellPosition & { readonly text: string | undefined }) | undefined {
    const [, run, line, column = "1"] = POSITION.exec(text) ?? [];
    if (run === undefined) return undefined;
    const position = this.#position(Number(run), Number(line), Number(column));
    return { ...position, text: this.line(Number(run), position.line) };
  }

  line(run: number, line: number): string | undefined {
    return this.#runs.get(run)?.lines[line - 1];
  }

  /** A position in the code that the converter got, as a position in the code that was typed. */
  typed(run: number, { line, column }: Position): Position {
    const { linesBefore, lines } = this.#runs.get(run) ?? NO_LINES;
    const number = Math.max(1, line - linesBefore);
    const last = lines.at(-1);
    if (last === undefined || number <= lines.length) return { line: number, column };
    return { line: lines.length, column: last.length + 1 };
  }

  #position(run: number, line: number, column: number): CellPosition {
    const found = this.#runs.get(run);
    const { cell = 0 } = found ?? {};
    const maps = found && parsedMaps(found);
    const typescript = maps && original(maps.fromCommonJs, line - 1, column - 1);
    const typed = maps && typescript && original(maps.fromTypeScript, typescript.line, typescript.column);
    if (typed === undefined) return { cell, line, column };
    return { cell, ...this.typed(run, { line: typed.line + 1 - LINES_BEFORE, column: typed.column + 1 }) };
  }
}

/** Parsed once per run: a text may contain thousands of positions. */
function parsedMaps(run: Run): ParsedMaps | undefined {
  const { maps } = run;
  run.parsed ??= maps && {
    fromCommonJs: new SourceMap(JSON.parse(maps.fromCommonJs)),
    fromTypeScript: new SourceMap(JSON.parse(maps.fromTypeScript)),
  };
  return run.parsed;
}

function original(map: SourceMap, line: number, column: number): { line: number; column: number } | undefined {
  const found = map.findEntry(line, column);
  if (!("originalLine" in found) || found.originalLine === undefined) return undefined;
  // An entry covers the rest of its line.
  const offset = found.generatedLine === line ? column - found.generatedColumn : 0;
  return { line: found.originalLine, column: found.originalColumn + offset };
}

/** A position in the running cell; both numbers start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An await that is pending inside a `for await` leaves the position of the loop when it is done. */
interface Wait extends Position {
  readonly since: number;
  readonly outer: Wait | undefined;
}

/** Where the running cell waits. The converter inserts the calls; see `converter/fastBuilder.ts`. */
export class WaitPosition {
  #wait: Wait | undefined;

  /** The innermost await that has not succeeded; undefined if the cell does not wait. */
  get current(): (Position & { /** On the clock of `performance`. */ readonly since: number }) | undefined {
    return this.#wait;
  }

  /** Called before an await, with its operand, which it returns. */
  readonly awaiting = <T>(operand: T, line: number, column: number): T => {
    this.#wait = { line, column, since: performance.now(), outer: this.#wait };
    return operand;
  };

  /** Called after an await, with its value, which it returns. */
  readonly resumed = <T>(value: T): T => {
    this.#wait = this.#wait?.outer;
    return value;
  };

  /** Forgets the positions of the previous cell. */
  clear(): void {
    this.#wait = undefined;
  }
}
