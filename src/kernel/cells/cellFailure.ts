import { inspect, types } from "node:util";
import { createRedactor } from "../../service/http/redact.js";
import { escapedLines } from "../../util/quoted.js";
import type { CellPositions } from "./cellPositions.js";
import { stackFrames } from "./stackFrames.js";
import { faultLine, TypeScriptError } from "./typeScriptError.js";

/** An error as a notebook shows it. */
export interface CellFailure {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

const RED = "\u001b[31m";
const PLAIN = "\u001b[39m";

/** How many causes, members of an AggregateError, or faults are shown. */
const MAX_CAUSES = 10;

/** Longer lines are generated code, or hold data. */
const LONGEST_LINE = 160;

/**
 * What a notebook shows of something that a cell has thrown: name and message, the line of the cell, and the way there
 * through the cells and the files beside them. The key is taken out.
 *
 * @param run the run that failed
 * @param note what to do about it, where there is more to say than the error says
 */
export function cellFailure(thrown: unknown, run: number, positions: CellPositions, note?: string): CellFailure {
  try {
    return described(thrown, run, positions, note);
  } catch {
    // Its members throw when they are read.
    const evalue = "The error cannot be shown.";
    return { ename: "Error", evalue, traceback: [`${RED}Error${PLAIN}: ${evalue}`] };
  }
}

function described(thrown: unknown, run: number, positions: CellPositions, note: string | undefined): CellFailure {
  const { name, message } = named(thrown);
  const title = name + code(thrown);
  const [rest, lines] =
    thrown instanceof TypeScriptError
      ? ["", faults(thrown, run, positions)]
      : [`: ${message}`, [...parts(thrown), ...place(thrown, positions), ...frames(thrown)]];
  if (note !== undefined) lines.push("", note);
  const redact = createRedactor(process.env.ARCHIVE_API_KEY?.trim() ?? "");
  // The colours are ours: what stands in an error may be from the wire, and `jupyter console` is a terminal.
  const clean = (text: string) => escapedLines(redact(positions.map(text)));
  const head = `${RED}${clean(title)}${PLAIN}${clean(rest)}`;
  return { ename: clean(name), evalue: clean(message), traceback: [head, ...lines.map(clean)] };
}

function named(thrown: unknown): { name: string; message: string } {
  if (!isError(thrown)) return { name: "Thrown", message: typeof thrown === "string" ? thrown : inspect(thrown) };
  return { name: String(thrown.name) || "Error", message: String(thrown.message) };
}

/** By its nature, not its class: the code of a notebook may make errors in another realm. */
export function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error;
}

/** An error of this package says itself what to do, and its code; what is beneath it helps nobody. */
function isOurs(thrown: unknown): thrown is Error & { readonly code: string } {
  if (!isError(thrown)) return false;
  const { code, hint } = thrown as { readonly code?: unknown; readonly hint?: unknown };
  return typeof code === "string" && typeof hint === "string";
}

function code(thrown: unknown): string {
  return isOurs(thrown) ? ` (${thrown.code})` : "";
}

/** What an error was caused by, or is made of. */
function parts(thrown: unknown): string[] {
  if (!isError(thrown) || isOurs(thrown)) return [];
  const lines: string[] = [];
  const { errors = [] } = thrown as { readonly errors?: readonly unknown[] };
  for (const each of Array.isArray(errors) ? errors.slice(0, MAX_CAUSES) : []) lines.push(`  - ${title(each)}`);
  const seen = new Set<unknown>([thrown]);
  for (let { cause } = thrown; cause !== undefined && !seen.has(cause) && seen.size <= MAX_CAUSES; ) {
    seen.add(cause);
    lines.push(`  caused by ${title(cause)}`);
    cause = isError(cause) ? cause.cause : undefined;
  }
  return lines;
}

function title(thrown: unknown): string {
  const { name, message } = named(thrown);
  return `${name}: ${message}`;
}

/** The line of a cell at which it happened. */
function place(thrown: unknown, positions: CellPositions): string[] {
  const at = positions.first(stack(thrown));
  return at === undefined ? [] : ["", ...excerpt(at.text, at.line, at.column, 1), ""];
}

function faults({ faults }: TypeScriptError, run: number, positions: CellPositions): string[] {
  const lines = faults.slice(0, MAX_CAUSES).flatMap((fault, at) => {
    const before = faults[at - 1];
    // One fault may say more in a second line.
    if (before?.line === fault.line && before.column === fault.column) return [`  ${fault.message}`];
    const line = fault.file === undefined ? positions.line(run, fault.line) : undefined;
    return [...excerpt(line, fault.line, fault.column, fault.length), faultLine(fault)];
  });
  if (faults.length > MAX_CAUSES) lines.push(`… and ${faults.length - MAX_CAUSES} more`);
  return lines;
}

/** A line of code, with a mark beneath it. */
function excerpt(line: string | undefined, number: number, column: number, length: number): string[] {
  if (line === undefined || line.length > LONGEST_LINE) return [];
  const margin = `  ${number} | `;
  const before = line.slice(0, column - 1).replace(/[^\t]/g, " ");
  return [margin + line, `${" ".repeat(margin.length - 2)}| ${before}${"^".repeat(length)}`];
}

function frames(thrown: unknown): string[] {
  return stackFrames(stack(thrown), isOurs(thrown));
}

function stack(thrown: unknown): string {
  return isError(thrown) ? String(thrown.stack) : "";
}
