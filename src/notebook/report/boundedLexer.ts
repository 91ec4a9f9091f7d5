import { Lexer, type Token, type TokensList } from "marked";
import { type MarkdownPart, markdownParts } from "./markdownParts.js";

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
