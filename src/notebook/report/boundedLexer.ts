import { Lexer, type Token, type TokensList } from "marked";
import { type MarkdownPart, markdownParts } from "./markdownParts.js";

/** Quotes and lists in each other, and links and emphasis in each other. */
const MAX_DEPTH = 10;

/** Characters that mark text; the library may look at each of them once for each other one. */
const MARKS = /[*_~`[\]<>!&@:]/g;

/** How much of that a text has free, and for each of its characters. */
const FREE_WORK = 4000;
const WORK_PER_CHARACTER = 4;

/**
 * The lexer of the Markdown library with bounds, as the library has none: the length of what it reads in one piece, nesting, and
 * the work that marks in a text make. What is beyond them becomes text, as it was written.
 */
export class BoundedLexer extends Lexer {
  /** Whether something is shown as it was written. */
  isCut = false;
  #depth = 0;
  #work = 0;

  override lex(src: string): TokensList {
    this.#work = FREE_WORK + WORK_PER_CHARACTER * src.length;
    for (const part of markdownParts(src.replace(/\r\n?/g, "\n"))) this.#add(part);
    // As the library does it: when all is known, as a link may be declared behind its use.
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
    else if (kind === "plain") this.#asWritten(text, this.tokens, "paragraph");
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
    if (work > this.#work) return this.#asWritten(src, tokens, "text");
    this.#work -= work;
    return this.#nested(src, tokens, "text", () => super.inlineTokens(src, tokens));
  }

  #nested(src: string, tokens: Token[], type: "paragraph" | "text", look: () => Token[]): Token[] {
    if (this.#depth >= MAX_DEPTH) return this.#asWritten(src, tokens, type);
    this.#depth += 1;
    try {
      return look();
    } finally {
      this.#depth -= 1;
    }
  }

  #asWritten(src: string, tokens: Token[], type: "paragraph" | "text"): Token[] {
    this.isCut = true;
    const text = { type: "text", raw: src, text: src, escaped: false } as const;
    tokens.push(type === "text" ? text : { type: "paragraph", raw: src, text: src, tokens: [text] });
    return tokens;
  }
}
