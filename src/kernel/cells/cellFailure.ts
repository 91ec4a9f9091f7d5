import { sep } from "node:path";
import { inspect, types } from "node:util";
import { escapedLines } from "../../util/text.js";
import type { Diagnostic } from "../converter/converter.js";
import { type CellPositions, cellFile } from "./cellPositions.js";
import { hintsFor } from "./hints.js";

/** An error as a notebook shows it. */
export interface CellFailure {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

const RED = "\u001b[31m";
const DEFAULT_COLOR = "\u001b[39m";

/** Maximum number of causes, members of an AggregateError, or diagnostics. */
const MAX_DETAILS = 10;

/** Deeper causes are not shown. */
const MAX_DEPTH = 3;

/** Longer lines are generated code or data. They are not shown. */
const MAX_LINE = 160;

/** The cell cannot run. */
export class TypeScriptError extends Error {
  override readonly name = "TypeScriptError";

  constructor(readonly diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(diagnosticLine).join("\n"));
  }
}

/**
 * Describes what a cell threw as a notebook shows it: name and message, the line of the cell, and the stack frames in cells and
 * local files.
 *
 * @param notes advice below the error
 * @param warnings type errors of the cell
 */
export function cellFailure(
  thrown: unknown,
  positions: CellPositions,
  notes: readonly string[] = [],
  warnings: readonly Diagnostic[] = [],
): CellFailure {
  try {
    const { name, message } = nameAndMessage(thrown);
    const isUnconverted = thrown instanceof TypeScriptError;
    // What TypeScript warned of is often the cause.
    const warned = warnings.length === 0 ? [] : ["", "TypeScript warns:", ...diagnosticLines(warnings)];
    const lines = isUnconverted
      ? diagnosticLines(thrown.diagnostics)
      : [...causes(thrown), ...location(thrown, positions), ...warned];
    const faults = isUnconverted
      ? thrown.diagnostics
      : [{ message, source: positions.first(stackOf(thrown))?.text }, ...warnings];
    const below = [...notes, ...hintsFor(faults)].flatMap((note) => ["", note]);
    // Only our own colors pass: an error may contain text from the wire, and `jupyter console` is a terminal.
    const clean = (text: string) => escapedLines(positions.toCellPositions(text));
    const title = clean(isOurs(thrown) ? `${name} (${thrown.code})` : name);
    const head = `${RED}${title}${DEFAULT_COLOR}${isUnconverted ? "" : clean(`: ${message}`)}`;
    return { ename: clean(name), evalue: clean(message), traceback: [head, ...[...lines, ...below].map(clean)] };
  } catch {
    // Its getters may throw.
    const evalue = "The error cannot be displayed.";
    return { ename: "Error", evalue, traceback: [`${RED}Error${DEFAULT_COLOR}: ${evalue}`] };
  }
}

function nameAndMessage(thrown: unknown): { name: string; message: string } {
  if (!isError(thrown)) return { name: "Thrown", message: typeof thrown === "string" ? thrown : inspect(thrown) };
  // tslab keeps the names of earlier cells in `exports`.
  const message = String(thrown.message).replaceAll(/(?<![\w$.])exports\.(?=[\w$])/g, "");
  return { name: String(thrown.name) || "Error", message };
}

/** Not by class alone: a cell may create errors in another realm. */
function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error;
}

/** Errors of this package carry a code and a hint; their causes are internal. */
function isOurs(thrown: unknown): thrown is Error & { readonly code: string } {
  if (!isError(thrown)) return false;
  const { code, hint } = thrown as { readonly code?: unknown; readonly hint?: unknown };
  return typeof code === "string" && typeof hint === "string";
}

/** The causes of an error: its own, or the members of an AggregateError, and theirs in turn. */
function causes(thrown: unknown, depth = 0): string[] {
  if (!isError(thrown) || isOurs(thrown) || depth === MAX_DEPTH) return [];
  const { cause, errors = cause === undefined ? [] : [cause] } = thrown as Error & { readonly errors?: unknown[] };
  return errors.slice(0, MAX_DETAILS).flatMap((each) => {
    const { name, message } = nameAndMessage(each);
    return [`  caused by ${name}: ${message}`, ...causes(each, depth + 1)];
  });
}

function stackOf(thrown: unknown): string {
  return isError(thrown) ? String(thrown.stack) : "";
}

/** The line of the cell that threw, and the stack frames. */
function location(thrown: unknown, positions: CellPositions): string[] {
  const stack = stackOf(thrown);
  const frames = stackFrames(stack, isOurs(thrown));
  const at = positions.first(stack);
  return at === undefined ? frames : ["", ...excerpt(at.text, at.line, at.column, 1), "", ...frames];
}

/** The type errors of a cell that ran, and what to type instead. */
export function warningTexts(warnings: readonly Diagnostic[]): string[] {
  return [...warnings.slice(0, MAX_DETAILS).map(diagnosticLine), ...hintsFor(warnings)];
}

function diagnosticLines(diagnostics: readonly Diagnostic[]): string[] {
  const lines = diagnostics.slice(0, MAX_DETAILS).flatMap((diagnostic) => {
    const { source, line, column, length } = diagnostic;
    return [...excerpt(source, line, column, length), diagnosticLine(diagnostic)];
  });
  if (diagnostics.length > MAX_DETAILS) lines.push(`… and ${diagnostics.length - MAX_DETAILS} more`);
  return lines;
}

/** `2:7 - Type 'number' is not assignable to type 'string'.` */
function diagnosticLine({ file, line, column, message }: Diagnostic): string {
  return `${file === undefined ? "" : `${file} `}${line}:${column} - ${message}`;
}

function excerpt(line: string | undefined, number: number, column: number, length: number): string[] {
  if (line === undefined || line.length > MAX_LINE) return [];
  const margin = `  ${number} | `;
  const before = line.slice(0, column - 1).replace(/[^\t]/g, " ");
  return [margin + line, `${" ".repeat(margin.length - 2)}| ${before}${"^".repeat(length)}`];
}

const CELL = cellFile(0).slice(0, -1);

/** The frame that starts a cell, before its first line. */
const START = /notebook-cell-\d+(?::0:|\)?$)/;

/** A stack may be longer than V8's limit if user code wrote it. */
const MAX_LINES = 1000;

/** The frames of a stack in cells and in files of the notebook's directory. */
function stackFrames(stack: string, onlyCells: boolean): string[] {
  const here = process.cwd() + sep;
  const isLocal = (line: string) => !onlyCells && line.includes(here) && !line.includes(`${sep}node_modules${sep}`);
  return stack
    .split("\n", MAX_LINES)
    .filter((line) => /^\s+at /.test(line) && !START.test(line) && (line.includes(CELL) || isLocal(line)))
    .map((line) => line.replace("file://", "").replace(here, "").replace("at Proxy.", "at "));
}
