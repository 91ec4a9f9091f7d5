const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for HTML, inside an element or an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

// Cc: control characters, Cs: halves of surrogate pairs. The rest ends lines, or turns the direction of what follows.
const ODD = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text on one line, with nothing in it that acts instead of being seen: ends of lines are `↵`, control characters have
 * their pictures, and what would turn the direction of writing is `�`.
 *
 * @example
 * visible("two\nlines\u001b[31m"); //=> "two↵lines␛[31m"
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(ODD, (character) => picture(character, "↵", " "));
}

/** The same with its lines and tabs. */
export function printableLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(ODD, (character) => picture(character, "\n", "\t"));
}

function picture(character: string, line: string, tab: string): string {
  if (character === "\n" || character === "\u2028" || character === "\u2029") return line;
  if (character === "\t") return tab;
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
