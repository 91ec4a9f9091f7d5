import { SourceMap } from "node:module";
import type { CellMaps } from "../converter/converter.js";

/** A place in a cell; all three count from 1. */
export interface CellPosition {
  readonly cell: number;
  readonly line: number;
  readonly column: number;
}

interface Known {
  readonly cell: number;
  readonly lines: readonly string[];
  readonly maps: CellMaps | undefined;
  parsed?: ParsedMaps | undefined;
}

interface ParsedMaps {
  readonly fromCommonJs: SourceMap;
  readonly fromTypeScript: SourceMap;
}

const PLACE = /notebook-cell-(\d+):(\d+)(?::(\d+))?/;

/** tslab puts one line before the code of a cell. */
const LINES_BEFORE = 1;

/** The name under which V8 knows the code of a run. */
export function cellFile(run: number): string {
  return `notebook-cell-${run}`;
}

/** Leads from the code that runs back to the cells as they were typed. */
export class CellPositions {
  readonly #runs = new Map<number, Known>();

  /** @param run every run has its own number, while silent ones share that of a cell */
  add(run: number, cell: number, code: string, maps: CellMaps | undefined): void {
    this.#runs.set(run, { cell, lines: code.split(/\r?\n/), maps });
  }

  /**
   * A text in which places in running code are places in cells.
   *
   * @example
   * positions.map("at f (notebook-cell-3:7:9)"); //=> "at f (cell 3:2:11)"
   */
  map(text: string): string {
    if (!text.includes(cellFile(0).slice(0, -1))) return text;
    return text.replace(new RegExp(PLACE, "g"), (place) => {
      const { cell, line, column } = this.first(place) as CellPosition;
      return `cell ${cell}:${line}:${column}`;
    });
  }

  /** The first place in running code that a text names, as a place in a cell, and the line there. */
  first(text: string): (CellPosition & { readonly text: string | undefined }) | undefined {
    const [, run, line, column = "1"] = PLACE.exec(text) ?? [];
    if (run === undefined) return undefined;
    const position = this.#position(Number(run), Number(line), Number(column));
    return { ...position, text: this.line(Number(run), position.line) };
  }

  line(run: number, line: number): string | undefined {
    return this.#runs.get(run)?.lines[line - 1];
  }

  #position(run: number, line: number, column: number): CellPosition {
    const known = this.#runs.get(run);
    const { cell = 0 } = known ?? {};
    const maps = known && parsedMaps(known);
    const typescript = maps && original(maps.fromCommonJs, line - 1, column - 1);
    const typed = maps && typescript && original(maps.fromTypeScript, typescript.line, typescript.column);
    if (typed === undefined) return { cell, line, column };
    return { cell, line: Math.max(1, typed.line + 1 - LINES_BEFORE), column: typed.column + 1 };
  }
}

/** Once for a cell: a text may name thousands of places. */
function parsedMaps(known: Known): ParsedMaps | undefined {
  const { maps } = known;
  known.parsed ??= maps && {
    fromCommonJs: new SourceMap(JSON.parse(maps.fromCommonJs)),
    fromTypeScript: new SourceMap(JSON.parse(maps.fromTypeScript)),
  };
  return known.parsed;
}

function original(map: SourceMap, line: number, column: number): { line: number; column: number } | undefined {
  const found = map.findEntry(line, column);
  if (!("originalLine" in found) || found.originalLine === undefined) return undefined;
  // An entry covers what follows it on its line.
  const into = found.generatedLine === line ? column - found.generatedColumn : 0;
  return { line: found.originalLine, column: found.originalColumn + into };
}
