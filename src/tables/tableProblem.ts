import { ArchiveError, FileError } from "../errors/index.js";
import { escaped } from "../util/quoted.js";

/** Part of an error of DuckDB or Node, our description of the line, and the hint. */
const PROBLEMS: ReadonlyArray<readonly [said: string, problem: string, hint: string]> = [
  ["Expected Number of Columns", "has more fields than the header", "Put fields that contain the separator in quotes."],
  ["unterminated quote", "has quotes that do not match", "Write a quote in a field twice."],
  ["state machine", "has quotes that do not match", "Write a quote in a field twice."],
  ["Invalid unicode", "is not UTF-8", "Save it as UTF-8."],
  ["not valid for encoding", "is not in its encoding", "Save it as UTF-8."],
  ["Maximum line size", "is longer than 32 MB", "Is a quote before it not closed?"],
  ["Out of Memory", "needs more than a gigabyte of memory", "Split the file."],
];

/** The error for a file that cannot be read as a table. */
export function tableProblem(path: string, error: unknown, directory: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const known = PROBLEMS.find(([said]) => text.includes(said));
  const line = /\bLine: (\d+)/.exec(text)?.[1];
  const [first = ""] = text.split("\n");
  // Users do not know the copy in the private directory.
  const own = first
    .replaceAll(`File '${directory}/input'`, "it is")
    .replaceAll(directory, "")
    .replace(/^[\w ]{0,40} Error: /, "");
  const problem = known === undefined ? own.slice(0, 300) : `${line === undefined ? "it" : `line ${line}`} ${known[1]}`;
  const what = `${escaped(path)} cannot be read: ${problem.replace(/[.!]$/, "")}.`;
  return new FileError(what, { code: "FILE_ERROR", hint: known?.[2], path, cause: error });
}
