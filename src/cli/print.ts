import { inspect } from "node:util";
import { escaped, escapedLines } from "../util/quoted.js";

/** No line is longer: a name from elsewhere may have a megabyte. */
const MAX_LINE = 10_000;

/** Prints lines. A text from elsewhere stays on its line, and cannot act on the terminal. */
export function printLines(lines: readonly string[]): void {
  write(process.stdout, lines.map((line) => `${escaped(line, MAX_LINE)}\n`).join(""));
}

/** Prints a text of several lines. */
export function printText(text: string): void {
  printLines(text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n").map(withoutTabs));
}

/** Prints a value as JSON. What a terminal would act on is escaped, as JSON can. */
export function printJson(value: unknown): void {
  write(process.stdout, `${JSON.stringify(value, null, 2)}\n`);
}

/** Prints lines on standard error. */
export function printErrorLines(lines: readonly string[]): void {
  write(process.stderr, lines.map((line) => `${escaped(line, MAX_LINE)}\n`).join(""));
}

/** Prints an error that is none of ours, with its stack: it is a defect. */
export function printUnknownError(error: unknown): void {
  printErrorLines(inspect(error).split("\n"));
}

/** What commander prints goes the same way: it repeats what was typed. */
export const COMMANDER_OUTPUT = {
  writeOut: (text: string) => write(process.stdout, clippedLines(text)),
  writeErr: (text: string) => write(process.stderr, clippedLines(text)),
};

/** The one way out of the command: whatever comes here cannot act on the terminal. */
function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(escapedLines(text));
}

function clippedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => escaped(line, MAX_LINE))
    .join("\n");
}

function withoutTabs(line: string): string {
  return line.replaceAll("\t", "    ");
}
