import { clip } from "./clip.js";

/**
 * Characters that act on a terminal or on the direction of writing: controls (C0, DEL, C1), lone halves of surrogate pairs, line
 * and paragraph separators, bidirectional marks.
 */
const ACTING = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/gu;

/** An escape as {@link escapeCharacter} writes it, or one character. */
const PIECE = /\\u[\da-f]{4}|\\.|./gsu;

/** How long a text from outside may be in a message, where nothing else is said. */
const LENGTH = 80;

/**
 * A text from outside as it stands in a message, on standard error or on the command line: JSON, then controls and
 * bidirectional marks escaped, then clipped.
 *
 * @example
 * quoted("cvs");             //=> '"cvs"'
 * quoted("a\u001b]0;title"); //=> '"a\\u001b]0;title"'
 */
export function quoted(text: string, length: number = LENGTH): string {
  const json = JSON.stringify(clip(text, length));
  return `"${clipPieces(json.slice(1, -1).replace(ACTING, escapeCharacter), length)}"`;
}

/**
 * The same without the quotation marks, for a path or a name that stands for itself. Backslashes stay as they are.
 *
 * @example
 * escaped("study\u202e/"); //=> "study\\u202e/"
 */
export function escaped(text: string, length: number = Number.POSITIVE_INFINITY): string {
  return clipPieces(clip(text, length).replace(ACTING, escapeCharacter), length);
}

/** The same for a text of several lines, which keeps its line breaks and tabs. */
export function escapedLines(text: string): string {
  return text.replace(ACTING, (character) =>
    character === "\n" || character === "\t" ? character : escapeCharacter(character),
  );
}

/** Whether a text holds a character that {@link escapedLines} would escape. */
export function needsEscape(text: string): boolean {
  return escapedLines(text) !== text;
}

/** Several names from outside, the first ones: a response may have more columns than a message can hold. */
export function quotedList(names: readonly string[], most: number = 20): string {
  const shown = names.slice(0, most).map((name) => quoted(name, LENGTH));
  return names.length > most ? `${shown.join(", ")} and ${names.length - most} more` : shown.join(", ");
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Clips an escaped text, never inside an escape. */
function clipPieces(text: string, length: number): string {
  // The ellipsis of a clip before counts as none.
  if (text.length <= length + 1) return text;
  let end = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    if (end + piece.length > length) break;
    end += piece.length;
  }
  return `${text.slice(0, end)}…`;
}
