import { Lexer, Marked, Parser, type Token, type Tokens, type TokensList } from "marked";
import { escapeHtml, printable, printableLines } from "../display/displayText.js";
import { type AllowedElements, imageUri, isAllowedHtml } from "./safeHtml.js";

/** Attachments of a Markdown cell: a MIME bundle per name. */
type Attachments = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const LINK = /^(?:https?:|mailto:|#)/i;
const align = { align: /^(?:left|right|center)$/ };

/** The HTML that Markdown may produce. */
const ALLOWED: AllowedElements = {
  ...Object.fromEntries(
    "blockquote br code del em h1 h2 h3 h4 h5 h6 hr li p pre strong table tbody thead tr ul"
      .split(" ")
      .map((name) => [name, {}]),
  ),
  a: { href: LINK, title: /^/, rel: /^noopener noreferrer$/ },
  img: { src: /^data:image\/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=]*$/, alt: /^/ },
  ol: { start: /^\d+$/ },
  td: align,
  th: align,
};

const CUT = "<p><em>Some of this text is too long or too deeply nested to be formatted.</em></p>";

/**
 * Markdown as HTML. Raw HTML is shown as text, links may use http, https, mailto and anchors, and only embedded pictures are shown.
 * Text that is too long or too deeply nested stays plain, with a note.
 */
export function markdownHtml(markdown: string, attachments: Attachments = {}): string {
  const pictures: string[] = [];
  const { defaults } = parser(attachments, pictures);
  const lexer = new BoundedLexer(defaults);
  const html = Parser.parse(lexer.lex(replacePictures(markdown, pictures)), defaults);
  // Check the output too, so that safety does not depend on the library alone.
  if (!isAllowedHtml(html, ALLOWED)) return `<pre>${escapeHtml(printableLines(markdown))}</pre>`;
  return lexer.isCut ? `${html}${CUT}` : html;
}

/** Maximum nesting of quotes and lists, and of links and emphasis. */
const MAX_DEPTH = 10;

/** A longer text stays plain. The library's time can grow with the square of its lines. */
const MAX_CHARACTERS = 100_000;
const MAX_LINES = 2000;

/** Markup characters. The library's work can grow with the square of their number. */
const MARKS = /[*_~`[\]<>!&@:]/g;

/** The allowed work of a text: a fixed part, and a part per character. */
const FREE_WORK = 4000;
const WORK_PER_CHARACTER = 4;

/** The Markdown library's lexer with limits on size, nesting and work, which the library lacks. Text beyond a limit stays plain. */
class BoundedLexer extends Lexer {
  /** Whether a limit was exceeded. */
  isCut = false;
  #depth = 0;
  #work = 0;

  override lex(src: string): TokensList {
    this.#work = FREE_WORK + WORK_PER_CHARACTER * src.length;
    const isLong = src.length > MAX_CHARACTERS || src.split("\n", MAX_LINES + 1).length > MAX_LINES;
    if (!isLong) return super.lex(src);
    this.#asPlainText(src, this.tokens, "paragraph");
    return this.tokens;
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    return this.#nested(src, tokens, "paragraph", () => super.blockTokens(src, tokens, lastParagraphClipped));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    const marks = src.match(MARKS)?.length ?? 0;
    if (marks * marks > this.#work) return this.#asPlainText(src, tokens, "text");
    this.#work -= marks * marks;
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

/** The text of the first heading; undefined if there is none. */
export function firstHeading(markdown: string): string | undefined {
  if (!/[#=-]/.test(markdown)) return undefined;
  const tokens = new BoundedLexer(new Marked({ gfm: true }).defaults).lex(replacePictures(markdown, []));
  const heading = tokens.find((token): token is Tokens.Heading => token.type === "heading");
  const text = heading === undefined ? "" : printable(plainText(heading.tokens)).trim();
  return text === "" ? undefined : text;
}

/** An inline picture. It may have megabytes, so placeholders replace it before lexing. */
const PICTURE = /\(data:image\/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=]{1000,}\)/g;
const PLACEHOLDER = /\(af-picture:(\d{1,9})\)/g;

function replacePictures(markdown: string, pictures: string[]): string {
  return markdown.replace(PICTURE, (uri) => `(af-picture:${pictures.push(uri.slice(1, -1)) - 1})`);
}

function parser(attachments: Attachments, pictures: readonly string[]): Marked {
  // Inside code, a picture's URI is part of the code.
  const restore = (text: string) =>
    text.replace(PLACEHOLDER, (found, at) => (pictures[at] ? `(${pictures[at]})` : found));
  return new Marked({
    gfm: true,
    renderer: {
      html({ text }) {
        if (/^<!--.*-->\s*$/s.test(text)) return "";
        return /^<br\s*\/?>\s*$/i.test(text) ? "<br>" : escapeHtml(text);
      },
      link({ href, title, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (!LINK.test(href)) return text;
        const hint = title ? ` title="${escapeHtml(title)}"` : "";
        return `<a href="${escapeHtml(href)}"${hint} rel="noopener noreferrer">${text}</a>`;
      },
      image({ href, text }) {
        const uri = pictureUri(pictures[Number(/^af-picture:(\d{1,9})$/.exec(href)?.[1])] ?? href, attachments);
        return uri === undefined
          ? escapeHtml(`[${text || "picture"}]`)
          : `<img src="${uri}" alt="${escapeHtml(text)}">`;
      },
      code({ text }) {
        return codeHtml(restore(text));
      },
      codespan({ text }) {
        return `<code>${escapeHtml(restore(text))}</code>`;
      },
      checkbox({ checked }) {
        return checked ? "☑ " : "☐ ";
      },
      br: () => "<br>",
      hr: () => "<hr>",
    },
  });
}

function pictureUri(href: string, attachments: Attachments): string | undefined {
  const name = /^attachment:(.*)$/.exec(href)?.[1];
  if (name !== undefined)
    return imageUri(attachmentOf(decoded(name), attachments) ?? attachmentOf(name, attachments) ?? {});
  return ALLOWED.img?.src?.test(href) ? href : undefined;
}

function attachmentOf(name: string, attachments: Attachments): Attachments[string] | undefined {
  return Object.hasOwn(attachments, name) ? attachments[name] : undefined;
}

/** The decoded name, or the name itself if its percent-encoding is invalid. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plainText(token.tokens) : "text" in token ? String(token.text) : "",
    )
    .join("");
}

export function codeHtml(code: string): string {
  return `<pre><code>${escapeHtml(printableLines(code))}</code></pre>`;
}
