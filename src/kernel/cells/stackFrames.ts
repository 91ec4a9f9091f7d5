import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { cellFile } from "./cellPositions.js";

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
