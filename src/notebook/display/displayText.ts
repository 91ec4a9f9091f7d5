const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

// Cc: control characters, Cs: lone surrogates. The others are line separators and bidirectional controls.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes text printable on one line: line breaks become `↵`, control characters their Unicode pictures, and bidirectional controls
 * `�`.
 *
 * @example
 * printable("two\nlines\u001b[31m"); //=> "two↵lines␛[31m"
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNPRINTABLE, (character) => picture(character, "↵", " "));
}

/** Like {@link printable}, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNPRINTABLE, (character) => picture(character, "\n", "\t"));
}

function picture(character: string, line: string, tab: string): string {
  if (character === "\n" || character === "\u2028" || character === "\u2029") return line;
  if (character === "\t") return tab;
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
