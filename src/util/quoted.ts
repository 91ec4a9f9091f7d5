/**
 * Characters that control a terminal or the text direction: controls (C0, DEL, C1), lone surrogates, line and paragraph separators,
 * bidirectional marks.
 */
const CONTROLS = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/gu;

/** An escape written by {@link escapeCharacter}, or one character. */
const ESCAPE_OR_CHARACTER = /\\u[\da-f]{4}|\\.|./gsu;

/** Default maximum length of foreign text in a message. */
const LENGTH = 80;

/** The first `length` characters of a text, with an ellipsis if it is longer. Never splits a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

/** The last `length` characters of a text, with an ellipsis if it is longer. Never splits a surrogate pair. */
export function clipStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const first = text.charCodeAt(text.length - length);
  return `…${text.slice(text.length - length + (first >= 0xdc00 && first <= 0xdfff ? 1 : 0))}`;
}

/** Quotes foreign text for a message or a terminal: as JSON, clipped, with controls and bidirectional marks escaped. */
export function quoted(text: string, length: number = LENGTH): string {
  const json = JSON.stringify(clip(text, length));
  return `"${clipEscaped(json.slice(1, -1).replace(CONTROLS, escapeCharacter), length)}"`;
}

/** Quotes the first `max` names: a response may have more columns than fit into a message. */
export function quotedList(names: readonly string[], max: number = 20): string {
  const shown = names.slice(0, max).map((name) => quoted(name, LENGTH));
  return names.length > max ? `${shown.join(", ")} and ${names.length - max} more` : shown.join(", ");
}

/** Escapes and clips like {@link quoted}, without quotation marks, for a path or a name. Does not escape backslashes. */
export function escaped(text: string, length: number = Number.POSITIVE_INFINITY): string {
  return clipEscaped(clip(text, length).replace(CONTROLS, escapeCharacter), length);
}

/** Escapes a text, but keeps line breaks and tabs. */
export function escapedLines(text: string): string {
  return text.replace(CONTROLS, (character) =>
    character === "\n" || character === "\t" ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Clips an escaped text, never inside an escape. */
function clipEscaped(text: string, length: number): string {
  // One more, for the ellipsis of an earlier clip.
  if (text.length <= length + 1) return text;
  let end = 0;
  for (const [piece] of text.matchAll(ESCAPE_OR_CHARACTER)) {
    if (end + piece.length > length) break;
    end += piece.length;
  }
  return `${text.slice(0, end)}…`;
}

/** Words as a list: `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
