import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { cellFile } from "./cellPositions.js";

const OWN = fileURLToPath(new URL("../../..", import.meta.url));

const KERNEL = fileURLToPath(new URL("..", import.meta.url));

const CELL = cellFile(0).slice(0, -1);

/** Where a cell is started: before its first line, for which V8 has no number. */
const START = /notebook-cell-\d+(?::0:|\)?$)/;

const NODE = /\(?node:(?:vm|internal)/;

/** V8 gives ten frames; whoever asked it for more, or wrote a stack, gets so many. */
const MAX_LINES = 1000;

const PACKAGES = ["/node_modules/", "\\node_modules\\"] as const;

/** How many frames are shown of an error that was not made on behalf of a cell. */
const FOREIGN = 5;

/**
 * The frames of a stack that tell a user something: those in cells and in files of the notebook's folder, down to the
 * last one in a cell. What called the cell, Node's own frames and those of packages are left out; of an error that no cell
 * has to do with, a few frames of packages are left.
 */
export function stackFrames(stack: string, onlyCells: boolean): string[] {
  const frames = stack.split("\n", MAX_LINES).filter((line) => /^\s+at /.test(line) && !START.test(line));
  const last = frames.findLastIndex((line) => line.includes(CELL));
  if (last >= 0) {
    return frames
      .slice(0, last + 1)
      .filter((line) => line.includes(CELL) || (!onlyCells && isLocal(line)))
      .map((line) => fromFolder(line).replace(/at Proxy\./, "at "));
  }
  if (onlyCells) return [];
  const foreign = frames.filter((line) => !/\(?node:|\(<anonymous>\)/.test(line) && !line.includes(OWN));
  return foreign.slice(0, FOREIGN).map((line) => fromFolder(fromPackage(line)));
}

/** A text that may hold stacks, without the frames of what runs a cell. */
export function withoutKernel(text: string): string {
  if (!text.includes(KERNEL)) return text;
  const runs = (line: string) => /^\s+at /.test(line) && (line.includes(KERNEL) || START.test(line) || NODE.test(line));
  return text
    .split("\n")
    .filter((line) => !runs(line))
    .join("\n");
}

/** A file of the notebook's folder. */
function isLocal(line: string): boolean {
  return line.includes(process.cwd() + sep) && !line.includes(`${sep}node_modules${sep}`) && !line.includes(OWN);
}

/** Without the way to the folder of packages. */
function fromPackage(line: string): string {
  const at = Math.max(...PACKAGES.map((folder) => line.lastIndexOf(folder)));
  if (at < 0) return line;
  const path = Math.max(line.lastIndexOf(" ", at), line.lastIndexOf("(", at)) + 1;
  return line.slice(0, path) + line.slice(at + (PACKAGES[0] as string).length);
}

function fromFolder(line: string): string {
  return line.replace(/(?:file:\/\/)?(\/[^\s():]+|[A-Z]:\\[^\s():]+)/, (path, plain: string) => {
    const inside = relative(process.cwd(), plain);
    return inside.startsWith("..") ? path : inside;
  });
}
