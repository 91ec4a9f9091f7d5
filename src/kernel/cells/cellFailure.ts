import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, types } from "node:util";
import { createRedactor } from "../../service/http/secret.js";
import { escapedLines } from "../../util/quoted.js";
import type { Diagnostic } from "../converter/converter.js";
import { type CellPositions, cellFile, type Position } from "./cellPositions.js";

/** An error as a notebook shows it. */
export interface CellFailure {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

const RED = "\u001b[31m";
const DEFAULT_COLOR = "\u001b[39m";

/** Number of causes, members of an AggregateError, or diagnostics shown. */
const MAX_DETAILS = 10;

/** Longer lines are generated code or contain data, and are not shown. */
const MAX_LINE = 160;

const EXPORTS = /(?<![\w$.])exports\.(?=[\w$])/g;

/** TypeScript rejected the cell; none of it ran. */
export class TypeScriptError extends Error {
  override readonly name = "TypeScriptError";

  constructor(readonly diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(diagnosticLine).join("\n"));
  }
}

/** What is known about a failure besides the error. */
interface FailureContext {
  /** Where the cell waited: for an error whose stack does not reach the cell. */
  readonly wait?: Position | undefined;
  /** Advice below the error. */
  readonly notes?: readonly string[];
}

/** The failed run: its number, and the execution count of its cell. */
interface FailedRun {
  readonly run: number;
  readonly cell: number;
}

/** Of an error that no cell caused. */
const NO_RUN: FailedRun = { run: 0, cell: 0 };

/**
 * Describes what a cell threw as a notebook shows it: name and message, the line of the cell, and the stack frames in cells and
 * local files. The API key is redacted.
 */
export function cellFailure(
  thrown: unknown,
  failed: FailedRun | undefined,
  positions: CellPositions,
  context: FailureContext = {},
): CellFailure {
  try {
    return describe(thrown, failed ?? NO_RUN, positions, context);
  } catch {
    // Its getters may throw.
    const evalue = "The error cannot be displayed.";
    return { ename: "Error", evalue, traceback: [`${RED}Error${DEFAULT_COLOR}: ${evalue}`] };
  }
}

function describe(
  thrown: unknown,
  failed: FailedRun,
  positions: CellPositions,
  { wait, notes = [] }: FailureContext,
): CellFailure {
  const { name, message } = nameAndMessage(thrown);
  const title = name + code(thrown);
  const [rest, lines] =
    thrown instanceof TypeScriptError
      ? ["", diagnosticLines(thrown, failed.run, positions)]
      : [`: ${message}`, [...causes(thrown), ...location(thrown, failed, positions, wait)]];
  for (const note of notes) lines.push("", note);
  const redact = createRedactor(process.env.ARCHIVE_API_KEY?.trim() ?? "");
  // Only our own colors pass: an error may contain text from the wire, and `jupyter console` is a terminal.
  const clean = (text: string) => escapedLines(redact(positions.toCellPositions(text)));
  const head = `${RED}${clean(title)}${DEFAULT_COLOR}${clean(rest)}`;
  return { ename: clean(name), evalue: clean(message), traceback: [head, ...lines.map(clean)] };
}

function nameAndMessage(thrown: unknown): { name: string; message: string } {
  if (!isError(thrown)) return { name: "Thrown", message: typeof thrown === "string" ? thrown : inspect(thrown) };
  // tslab keeps the names of earlier cells in `exports`.
  const message = String(thrown.message);
  const shown = thrown instanceof TypeError ? message.replaceAll(EXPORTS, "") : message;
  return { name: String(thrown.name) || "Error", message: shown };
}

/** Not by class alone: a cell may create errors in another realm. */
export function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error;
}

/** Errors of this package carry a code and a hint; their causes are internal. */
function isOurs(thrown: unknown): thrown is Error & { readonly code: string } {
  if (!isError(thrown)) return false;
  const { code, hint } = thrown as { readonly code?: unknown; readonly hint?: unknown };
  return typeof code === "string" && typeof hint === "string";
}

function code(thrown: unknown): string {
  return isOurs(thrown) ? ` (${thrown.code})` : "";
}

/** The members and causes of an error. */
function causes(thrown: unknown): string[] {
  if (!isError(thrown) || isOurs(thrown)) return [];
  const lines: string[] = [];
  const { errors = [] } = thrown as { readonly errors?: readonly unknown[] };
  for (const each of Array.isArray(errors) ? errors.slice(0, MAX_DETAILS) : []) lines.push(`  - ${title(each)}`);
  const seen = new Set<unknown>([thrown]);
  for (let { cause } = thrown; cause !== undefined && !seen.has(cause) && seen.size <= MAX_DETAILS; ) {
    seen.add(cause);
    lines.push(`  caused by ${title(cause)}`);
    cause = isError(cause) ? cause.cause : undefined;
  }
  return lines;
}

function title(thrown: unknown): string {
  const { name, message } = nameAndMessage(thrown);
  return `${name}: ${message}`;
}

/** The line of the cell that threw, or else that waited for the error, and the stack frames. */
function location(
  thrown: unknown,
  { run, cell }: FailedRun,
  positions: CellPositions,
  wait: Position | undefined,
): string[] {
  const frames = stackFrames(stack(thrown), isOurs(thrown));
  const at = positions.first(stack(thrown));
  if (at !== undefined) return ["", ...excerpt(at.text, at.line, at.column, 1), "", ...frames];
  if (wait === undefined) return frames;
  const { line, column } = wait;
  const code = excerpt(positions.line(run, line), line, column, 1);
  return ["", ...code, "", ...frames, `    at async cell ${cell}:${line}:${column}`];
}

function diagnosticLines({ diagnostics }: TypeScriptError, run: number, positions: CellPositions): string[] {
  const lines = diagnostics.slice(0, MAX_DETAILS).flatMap((diagnostic, index) => {
    const { file, line, column, length, message } = diagnostic;
    const previous = diagnostics[index - 1];
    // One error may have several messages.
    if (previous?.line === line && previous.column === column) return [`  ${message}`];
    const source = file === undefined ? positions.line(run, line) : undefined;
    return [...excerpt(source, line, column, length), diagnosticLine(diagnostic)];
  });
  if (diagnostics.length > MAX_DETAILS) lines.push(`… and ${diagnostics.length - MAX_DETAILS} more`);
  return lines;
}

/** One line, as tslab formats it: `2:7 - Type 'number' is not assignable to type 'string'.` */
function diagnosticLine({ file, line, column, message }: Diagnostic): string {
  return `${file === undefined ? "" : `${file} `}${line}:${column} - ${message}`;
}

/** A line of code with markers beneath. */
function excerpt(line: string | undefined, number: number, column: number, length: number): string[] {
  if (line === undefined || line.length > MAX_LINE) return [];
  const margin = `  ${number} | `;
  const before = line.slice(0, column - 1).replace(/[^\t]/g, " ");
  return [margin + line, `${" ".repeat(margin.length - 2)}| ${before}${"^".repeat(length)}`];
}

function stack(thrown: unknown): string {
  return isError(thrown) ? String(thrown.stack) : "";
}

const OWN = fileURLToPath(new URL("../../..", import.meta.url));

const KERNEL = fileURLToPath(new URL("..", import.meta.url));

const CELL = cellFile(0).slice(0, -1);

/** The frame that starts a cell, before its first line. */
const START = /notebook-cell-\d+(?::0:|\)?$)/;

const NODE = /\(?node:(?:vm|internal)/;

/** A stack may be longer than V8's limit if user code wrote it. */
const MAX_LINES = 1000;

const PACKAGES = ["/node_modules/", "\\node_modules\\"] as const;

/** Number of frames shown for an error that no cell caused. */
const MAX_FOREIGN_FRAMES = 5;

/**
 * The frames of a stack that are useful to a user: those in cells and in files of the notebook's directory, down to the last one
 * in a cell. Callers of the cell and frames of Node and packages are omitted. For an error without a cell, a few frames of
 * packages remain.
 */
export function stackFrames(stack: string, onlyCells: boolean): string[] {
  const frames = stack.split("\n", MAX_LINES).filter((line) => /^\s+at /.test(line) && !START.test(line));
  const last = frames.findLastIndex((line) => line.includes(CELL));
  if (last >= 0) {
    return frames
      .slice(0, last + 1)
      .filter((line) => line.includes(CELL) || (!onlyCells && isLocal(line)))
      .map((line) => relativePath(line).replace(/at Proxy\./, "at "));
  }
  if (onlyCells) return [];
  const foreign = frames.filter((line) => !/\(?node:|\(<anonymous>\)/.test(line) && !line.includes(OWN));
  return foreign.slice(0, MAX_FOREIGN_FRAMES).map((line) => relativePath(packagePath(line)));
}

/** Removes the frames of the kernel from stacks in a text. */
export function withoutKernelFrames(text: string): string {
  if (!text.includes(KERNEL)) return text;
  const isKernelFrame = (line: string) =>
    /^\s+at /.test(line) && (line.includes(KERNEL) || START.test(line) || NODE.test(line));
  return text
    .split("\n")
    .filter((line) => !isKernelFrame(line))
    .join("\n");
}

/** Whether a frame is in a file of the notebook's directory. */
function isLocal(line: string): boolean {
  return line.includes(process.cwd() + sep) && !line.includes(`${sep}node_modules${sep}`) && !line.includes(OWN);
}

/** Shortens the path of a file in a package to the part after `node_modules`. */
function packagePath(line: string): string {
  const at = Math.max(...PACKAGES.map((directory) => line.lastIndexOf(directory)));
  if (at < 0) return line;
  const path = Math.max(line.lastIndexOf(" ", at), line.lastIndexOf("(", at)) + 1;
  return line.slice(0, path) + line.slice(at + (PACKAGES[0] as string).length);
}

/** Makes paths in the notebook's directory relative. */
function relativePath(line: string): string {
  return line.replace(/(?:file:\/\/)?(\/[^\s():]+|[A-Z]:\\[^\s():]+)/, (path, plain: string) => {
    const inside = relative(process.cwd(), plain);
    return inside.startsWith("..") ? path : inside;
  });
}
