/** A part of a Markdown text that can be parsed on its own. */
export type MarkdownPart =
  | { readonly kind: "markdown" | "plain"; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string };

/** From this length, a part ends at the next possible place. */
const TARGET_LENGTH = 4000;

/** Limits of a block that cannot be split; tables may have more lines. */
const MAX_LINES = 200;
const MAX_ROWS = 2000;
const MAX_CHARACTERS = 50_000;

/** A longer text stays plain. */
const MAX_ALL_LINES = 10_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;
const ITEM = /^(?:[-*+]|\d{1,9}[.)]) /;
const DELIMITERS = /^[\s|:-]*$/;

/**
 * Splits a long Markdown text into parts, because the library's time grows with the square of lists, quotes and paragraphs. Parts
 * end at blank lines and before list items; fenced code is a part of its own. A block that is too long and cannot be split is
 * `plain`, to be shown unformatted.
 */
export function markdownParts(markdown: string): MarkdownPart[] {
  const lines = markdown.split("\n");
  if (markdown.length <= TARGET_LENGTH && lines.length <= MAX_LINES) return [{ kind: "markdown", text: markdown }];
  if (lines.length > MAX_ALL_LINES) return [{ kind: "plain", text: markdown }];
  const parts: MarkdownPart[] = [];
  let block: string[] = [];
  let part: string[] = [];
  let length = 0;
  const endPart = () => {
    if (part.length > 0) parts.push({ kind: "markdown", text: part.join("\n") });
    [part, length] = [[], 0];
  };
  const endBlock = () => {
    const text = block.join("\n");
    if (block.length > (isTable(block) ? MAX_ROWS : MAX_LINES) || text.length > MAX_CHARACTERS) {
      endPart();
      parts.push({ kind: "plain", text });
    } else {
      part.push(...block);
      length += text.length + 1;
      if (length > TARGET_LENGTH) endPart();
    }
    block = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const [, fence, language = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined && !(fence.startsWith("`") && language.includes("`"))) {
      endBlock();
      endPart();
      const code: string[] = [];
      for (at++; at < lines.length && !closes(lines[at] as string, fence); at++) code.push(lines[at] as string);
      parts.push({ kind: "code", language: language.trim(), text: code.join("\n") });
      continue;
    }
    if (ITEM.test(line)) endBlock();
    block.push(line);
    if (line.trim() === "") endBlock();
  }
  endBlock();
  endPart();
  return parts;
}

function isTable([head = "", delimiters = ""]: readonly string[]): boolean {
  return head.includes("|") && delimiters.includes("-") && DELIMITERS.test(delimiters);
}

function closes(line: string, fence: string): boolean {
  const [, end = "", rest = ""] = FENCE.exec(line) ?? [];
  return end.startsWith(fence) && rest.trim() === "";
}
