import { Lexer, type Token, type TokensList } from "marked";

/** Maximum nesting of quotes and lists, and of links and emphasis. */
const MAX_DEPTH = 10;

/** Markup characters. The library's work can grow with the square of their number. */
const MARKS = /[*_~`[\]<>!&@:]/g;

/** The allowed work of a text: a fixed part, and a part per character. */
const FREE_WORK = 4000;
const WORK_PER_CHARACTER = 4;

/**
 * The Markdown library's lexer with limits on length, nesting and work, which the library lacks. Anything beyond a limit stays
 * plain text.
 */
export class BoundedLexer extends Lexer {
  /** Whether a limit was exceeded. */
  isCut = false;
  #depth = 0;
  #work = 0;

  override lex(src: string): TokensList {
    this.#work = FREE_WORK + WORK_PER_CHARACTER * src.length;
    for (const part of markdownParts(src.replace(/\r\n?/g, "\n"))) this.#add(part);
    // As in the library: last, because a link may be defined after its use.
    for (let at = 0; at < this.inlineQueue.length; at++) {
      const { src, tokens } = this.inlineQueue[at] as (typeof this.inlineQueue)[number];
      this.state.inRawBlock = false;
      this.inlineTokens(src, tokens);
    }
    this.inlineQueue = [];
    return this.tokens;
  }

  #add(part: MarkdownPart): void {
    const { kind, text } = part;
    if (kind === "code") this.tokens.push({ type: "code", raw: text, lang: part.language, text });
    else if (kind === "plain") this.#asPlainText(text, this.tokens, "paragraph");
    else for (const token of this.blockTokens(text, [])) this.tokens.push(token);
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    return this.#nested(src, tokens, "paragraph", () => super.blockTokens(src, tokens, lastParagraphClipped));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    const marks = src.match(MARKS)?.length ?? 0;
    const work = marks * marks;
    if (work > this.#work) return this.#asPlainText(src, tokens, "text");
    this.#work -= work;
    return this.#nested(src, tokens, "text", () => super.inlineTokens(src, tokens));
  }

  #nested(src: string, tokens: Token[], type: "paragraph" | "text", lex: () => Token[]): Token[] {
    if (this.#depth >= MAX_DEPTH) return this.#asPlainText(src, tokens, type);
    this.#depth += 1;
    try {
      return lex();
    } finally {
      this.#depth -= 1;
    }
  }

  #asPlainText(src: string, tokens: Token[], type: "paragraph" | "text"): Token[] {
    this.isCut = true;
    const text = { type: "text", raw: src, text: src, escaped: false } as const;
    tokens.push(type === "text" ? text : { type: "paragraph", raw: src, text: src, tokens: [text] });
    return tokens;
  }
}

/** A part of a Markdown text that can be parsed on its own. */
type MarkdownPart =
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
