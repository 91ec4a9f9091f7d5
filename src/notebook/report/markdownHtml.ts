import { Lexer, Marked, type MarkedOptions, Parser, type Token, type TokensList } from "marked";
import { sum } from "../../util/lists.js";
import { escapeHtml, printable, printableLines } from "../display/displayText.js";
import { imageUri } from "./safeHtml.js";

/** Attachments of a Markdown cell: a MIME bundle per name. */
type Attachments = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const LINK = /^(?:https?:|mailto:|#)/i;
const PICTURE = /^data:image\/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=]*$/;

const CUT = "<p><em>This text is too long or too deeply nested to be formatted.</em></p>";

/**
 * Markdown as HTML. Raw HTML is shown as text, links may use http, https, mailto and anchors, and only embedded pictures are shown.
 * Text that is too long or too deeply nested stays plain, with a note. Headings have the ids that Jupyter gives them: `#Two-years`.
 *
 * @param ids of the headings before, which the new ones are added to
 */
export function markdownHtml(markdown: string, attachments: Attachments = {}, ids: Set<string> = new Set()): string {
  const { defaults } = parser(attachments, ids);
  const blocks = blocksOf(markdown, defaults);
  return blocks ? Parser.parse(blocks, defaults) : `<pre>${escapeHtml(printableLines(markdown))}</pre>${CUT}`;
}

/** Longer texts, and more deeply nested ones, stay plain: the time of the library grows with the square of both. */
const MAX_CHARACTERS = 100_000;
const MAX_LINES = 2000;
const DEEP = /^[ \t]*(?:(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t]*){11}/m;

/** Markup characters. The library's time can grow with the square of their number in a paragraph. */
const MARKS = /[*_~`[\]<>!&@:]/g;
const MAX_WORK = 2_000_000;

/** Reads the blocks of a text; undefined beyond the limits. */
function blocksOf(text: string, options: MarkedOptions): TokensList | undefined {
  const isLong = text.length > MAX_CHARACTERS || text.split("\n", MAX_LINES + 1).length > MAX_LINES;
  if (isLong || DEEP.test(text)) return undefined;
  const work = sum(text.split(/\n\s*\n/).map((each) => (each.match(MARKS)?.length ?? 0) ** 2));
  return work > MAX_WORK ? undefined : Lexer.lex(text, options);
}

function parser(attachments: Attachments, ids: Set<string>): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      html({ text }) {
        if (/^<!--.*-->\s*$/s.test(text)) return "";
        return /^<br\s*\/?>\s*$/i.test(text) ? "<br>" : escapeHtml(text);
      },
      heading({ tokens, depth }) {
        const id = printable(plainText(tokens)).trim().replace(/\s+/g, "-");
        const attribute = id === "" || ids.has(id) ? "" : ` id="${escapeHtml(id)}"`;
        ids.add(id);
        return `<h${depth}${attribute}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, title, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (!LINK.test(href)) return text;
        const hint = title ? ` title="${escapeHtml(title)}"` : "";
        return `<a href="${escapeHtml(href)}"${hint} rel="noopener noreferrer">${text}</a>`;
      },
      image({ href, text }) {
        const uri = pictureUri(href, attachments);
        return uri === undefined
          ? escapeHtml(`[${text || "picture"}]`)
          : `<img src="${uri}" alt="${escapeHtml(text)}">`;
      },
      code: ({ text }) => codeHtml(text),
      codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
      checkbox({ checked }) {
        return checked ? "☑ " : "☐ ";
      },
    },
  });
}

/** The picture of a link: an attachment, whose name may be percent-encoded, or a data URI. */
function pictureUri(href: string, attachments: Attachments): string | undefined {
  const name = /^attachment:(.*)$/.exec(href)?.[1];
  if (name === undefined) return PICTURE.test(href) ? href : undefined;
  const attachment = [decoded(name), name].find((each) => Object.hasOwn(attachments, each));
  return attachment === undefined ? undefined : imageUri(attachments[attachment] ?? {});
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function plainText(tokens: readonly Token[] = []): string {
  const texts = tokens.map((token) => {
    if ("tokens" in token && token.tokens) return plainText(token.tokens);
    return "text" in token ? String(token.text) : "";
  });
  return texts.join("");
}

export function codeHtml(code: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(printableLines(code))}</code></pre>`;
}
