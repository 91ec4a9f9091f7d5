import { inspect } from "node:util";
import type { Command } from "commander";
import { eventText, type ProgressEvent, progressLine, type Terminal, terminalLine } from "../call/progress.js";
import type { ArchiveError } from "../errors/index.js";
import { toFileError } from "../fs/fileErrors.js";
import { operations } from "../service/operations/operations.js";
import { escaped, escapedLines, pluralize, verdictText } from "../util/text.js";

/** Longer lines are clipped: a received name may be a megabyte long. */
const MAX_LINE = 10_000;

/** Prints lines with control characters escaped: received text can neither break its line nor control the terminal. */
export function printLines(lines: readonly string[]): void {
  write(process.stdout, textOf(lines));
}

export function printText(text: string): void {
  printLines(linesOf(text));
}

export function linesOf(text: string): string[] {
  return text.replace(/\r\n?/g, "\n").replace(/\n$/, "").replaceAll("\t", "    ").split("\n");
}

/** What a command prints: a value with `--json`, otherwise lines. */
export interface Output {
  readonly json: unknown;
  readonly lines: readonly string[];
}

/** The action of a command that prints what `run` returns. Commander appends the command to its arguments. */
export function printing<A extends unknown[]>(run: (...args: A) => Promise<Output>): (...args: A) => Promise<void> {
  return async (...args) => {
    const { json, lines } = await run(...args);
    if ((args.at(-1) as Command).opts().json === true) printJson(json);
    else printLines(lines);
  };
}

function printJson(value: unknown): void {
  write(process.stdout, `${JSON.stringify(value, null, 2)}\n`);
}

export function printErrorLines(lines: readonly string[]): void {
  write(process.stderr, textOf(lines));
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${escaped(line, MAX_LINE)}\n`).join("");
}

/** Standard output for rows. On a terminal, the writer escapes them. */
export function outputStream(): NodeJS.WriteStream {
  return process.stdout;
}

/** Standard error if it is a terminal, for a progress line that escapes its text. */
export function errorTerminal(): NodeJS.WriteStream | undefined {
  return process.stderr.isTTY ? process.stderr : undefined;
}

/** Prints any error but an ArchiveError with its stack: it is a bug. */
export function printUnknownError(error: unknown): void {
  printErrorLines(inspect(error).split("\n"));
}

/** 128 + SIGPIPE. */
const OUTPUT_CLOSED = 141;

/** Sets the exit status when standard output cannot be written. A reader that closes it, as `head` does, is not an error to report. */
export function reportOutputErrors(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exitCode = error.code === "EPIPE" ? OUTPUT_CLOSED : 1;
    if (error.code !== "EPIPE") printErrorLines([archiveErrorLine(toFileError(error, "standard output"))]);
  });
  // There is no other place to report that.
  process.stderr.on("error", () => undefined);
}

export function archiveErrorLine({ name, code, message }: Pick<ArchiveError, "name" | "code" | "message">): string {
  return `${name} (${code}): ${message}`;
}

/**
 * Commander's output, escaped because it quotes the command line. A usage error is one line that ends with a pointer to the help.
 */
export const commanderOutput = (command: string) => ({
  writeOut: printText,
  writeErr: (text: string) => printErrorLines(linesOf(text)),
  outputError: (text: string) => printErrorLines([usageError(text, command)]),
});

/**
 * Formats a usage error as one line.
 *
 * @example
 * usageError("error: unknown option '--outptu'\n(Did you mean --output?)", "archive-frames save");
 * //=> "error: unknown option '--outptu' (Did you mean --output?). See archive-frames save --help."
 */
export function usageError(text: string, command: string): string {
  const line = text
    .trim()
    .split("\n")
    .map((part) => part.trim())
    .join(" ");
  // People type the operation as in the library: archive.bills("budget").
  const operation = /unknown command '(\w+)'$/.exec(line)?.[1] ?? "";
  const save = Object.hasOwn(operations, operation)
    ? ` Type archive-frames save ${operation} … -o ${operation}.csv.`
    : "";
  return `${line}${/[.?]$/.test(line) ? "" : "."}${save} See ${command} --help.`;
}

/** All output goes through here, with control characters escaped. */
function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(escapedLines(text));
}

/** Shorter waits (in seconds) are not logged. */
const MIN_WAIT = 1;
/** Seconds between two lines. */
const LOG_INTERVAL = 30;

/** The progress of a command on standard error: a progress line on a terminal, otherwise lines of a log. */
export class CommandProgress {
  #last: ProgressEvent | undefined;
  readonly #show: (event: ProgressEvent) => void;

  /** @param terminal undefined for a log */
  constructor(terminal: Terminal | undefined) {
    this.#show = terminal === undefined ? progressLog() : terminalLine(terminal, 1);
  }

  /** For the option `progress`. */
  readonly report = (event: ProgressEvent): void => {
    this.#last = event;
    this.#show(event);
  };

  /** Prints the number of rows and the verdict; nothing if nothing was requested. */
  printSummary(): void {
    const event = this.#last;
    if (event?.verdict === undefined) return;
    const { rows, verdict, reason } = event;
    printErrorLines([`${eventText(event, 60)}: ${pluralize(rows, "row")}, ${verdictText({ verdict, reason })}`]);
  }
}

/** Prints a line for each wait, and every half minute. */
function progressLog(): (event: ProgressEvent) => void {
  let last = 0;
  return (event) => {
    if ((event.waiting ?? 0) < MIN_WAIT && event.seconds - last < LOG_INTERVAL) return;
    last = event.seconds;
    printErrorLines([progressLine(event)]);
  };
}
